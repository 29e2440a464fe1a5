import { z } from 'zod'

/** A template that the carrier must have approved, as the event or the stored template names it. */
const TemplateReference = z.object({
  name: z.string(),
  language: z.string(),
  category: z.enum(['marketing', 'utility', 'authentication']),
})

/** A stored WhatsApp message. */
export const WhatsAppPayload = z.object({
  channel: z.literal('whatsapp'),
  to: z.string(),
  template: TemplateReference,
  parameters: z.union([z.array(z.string()), z.record(z.string(), z.string())]),
  button_code: z.string().optional(),
})
export type WhatsAppPayload = z.output<typeof WhatsAppPayload>

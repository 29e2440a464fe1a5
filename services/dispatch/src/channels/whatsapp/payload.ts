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
  header: z
    .object({ type: z.enum(['text', 'image', 'video', 'document']), value: z.string(), name: z.string().optional() })
    .optional(),
  buttons: z.array(z.object({ index: z.int(), type: z.enum(['url', 'copy_code']), value: z.string() })).optional(),
  button_code: z.string().optional(),
})
export type WhatsAppPayload = z.output<typeof WhatsAppPayload>

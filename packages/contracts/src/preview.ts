import { z } from 'zod'
import { Channel, EventTemplates } from './channels/table.ts'
import { Locale, TimeZone } from './locale.ts'
import { WhatsAppTemplateContent } from './whatsapp-templates.ts'

/** How an SMS is divided. One character outside of the GSM alphabet makes its segments less than half as long. */
export const SmsSegments = z
  .object({
    encoding: z.enum(['GSM-7', 'UCS-2']),
    segments: z.int(),
    outside: z.array(z.string()).meta({ description: 'The first characters that the GSM alphabet does not have' }),
  })
  .meta({ id: 'SmsSegments' })
export type SmsSegments = z.output<typeof SmsSegments>

/** Fields of a preview's request. */
export const previewFields = {
  locale: Locale.optional().meta({
    description:
      'Language of the recipient: shows the text that a message with this locale would have, each channel in its translation',
  }),
  time_zone: TimeZone.optional().meta({ description: 'Default: UTC' }),
}

/** Fields of a preview. */
export const previewedFields = {
  rendered: EventTemplates,
  locales: z.partialRecord(Channel, z.string().nullable()).meta({
    description: 'Language of the text of each channel; null: the text that is no translation',
  }),
  sms_segments: SmsSegments.nullable().meta({ description: 'Null without an SMS' }),
  whatsapp_message: WhatsAppTemplateContent.nullable().meta({
    description: 'The message as a phone shows it; null if no account of the tenant has the template',
  }),
}

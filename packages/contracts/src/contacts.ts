import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { defineEvent, SealedText } from './event.ts'
import { idSchema } from './ids.ts'
import { Timestamp } from './text.ts'

/** A number, and the id by which the carrier knows its user. */
export const ContactIdentity = z.object({ phone: z.string(), user_id: z.string() })
export type ContactIdentity = z.output<typeof ContactIdentity>

/** The carrier reported the number and the id of one user, who may later appear by the id alone. */
export const contactIdentified = defineEvent({
  publisher: 'callbacks',
  subject: 'callbacks.contact.identified',
  schema: z.object({
    provider_id: idSchema('prov'),
    tenant_id: idSchema('ten'),
    channel: Channel,
    content: SealedText,
    received_at: Timestamp,
  }),
  sealed: { field: 'content', aad: ['tenant_id', 'provider_id'], content: ContactIdentity },
})
export type ContactIdentified = z.output<typeof contactIdentified.schema>

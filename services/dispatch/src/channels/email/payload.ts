import { z } from 'zod'

const Mailbox = z.object({ address: z.string(), name: z.string().exactOptional() })
export type Mailbox = z.output<typeof Mailbox>

/** A stored email: addresses in ASCII, names of one line. */
export const EmailPayload = z.object({
  channel: z.literal('email'),
  to: z.string(),
  to_name: z.string().exactOptional(),
  /** Sender in place of the provider's. */
  from: z.string().exactOptional(),
  from_name: z.string().exactOptional(),
  subject: z.string(),
  text: z.string().exactOptional(),
  html: z.string().exactOptional(),
  reply_to: z.array(Mailbox).exactOptional(),
  cc: z.array(Mailbox).exactOptional(),
  bcc: z.array(Mailbox).exactOptional(),
  /** Their bytes are stored apart. */
  attachments: z
    .array(z.object({ filename: z.string(), content_type: z.string(), content_id: z.string().exactOptional() }))
    .exactOptional(),
  /** Of the caller. */
  headers: z.record(z.string(), z.string()).exactOptional(),
})
export type EmailPayload = z.output<typeof EmailPayload>

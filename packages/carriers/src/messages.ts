/** Ids that travel with a message and return in the carrier's callbacks. */
export interface Correlation {
  notificationId: string
  attemptId: string
  /** Messages of mode `test` go to the carrier sandbox only. */
  mode: 'live' | 'test'
  traceparent: string | undefined
  /** The first of the attempts with an unknown outcome that this one repeats at the same account. */
  repeatOf?: string | undefined
  /** Returns in receipts of a message with copies, and tells whom each is about. */
  recipientTag?: string | undefined
  /** Whether it is a one-time code, which waits behind no other messages. */
  isCode?: boolean | undefined
}

/** A text message. */
export interface SmsMessage {
  /** E.164 number. */
  to: string
  text: string
}

/** An ASCII address, and a name of one line. */
export interface Mailbox {
  address: string
  name?: string
}

/** A file in an email. */
export interface Attachment {
  filename: string
  content_type: string
  content: Buffer
  /** By which the HTML shows it (`cid:`). */
  content_id?: string
}

/** An email with ASCII addresses and single-line names. */
export interface EmailMessage {
  to: string
  to_name?: string
  /** Overrides the sender of the account. */
  from?: string
  /** The domain of that sender, if the account has it verified. */
  verified_domain?: string
  from_name?: string
  subject: string
  text?: string
  html?: string
  reply_to?: readonly Mailbox[]
  cc?: readonly Mailbox[]
  bcc?: readonly Mailbox[]
  /** Single-line ASCII values. */
  headers?: Readonly<Record<string, string>>
  attachments?: readonly Attachment[]
}

/** An approved template of the account, with its parameters. */
export interface WhatsAppMessage {
  /** E.164 number. */
  to: string
  template: { name: string; language: string }
  /** Texts for the placeholders of the body: an array in order, or an object by placeholder name. */
  parameters: readonly string[] | Readonly<Record<string, string>>
  /** The text of the header's placeholder, or the address of its file. */
  header?: { type: 'text' | 'image' | 'video' | 'document'; value: string; name?: string | undefined } | undefined
  /** Values of the buttons that have a placeholder. */
  buttons?: readonly { index: number; type: 'url' | 'copy_code'; value: string }[] | undefined
  /** The one-time code that the template's button copies. */
  button_code?: string
}

/** The message type of each channel. */
export interface ChannelMessages {
  sms: SmsMessage
  email: EmailMessage
  whatsapp: WhatsAppMessage
}

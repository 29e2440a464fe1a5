import { createHash } from 'node:crypto'

/** A file of an email, without its bytes. */
export interface LoggedAttachment {
  filename: string
  content_type: string
  size: number
  sha256: string
  /** Of an inline image. */
  content_id?: string
}

/** The parts of an email beside its texts; absent where there are none. */
export interface MailParts {
  cc?: string[]
  bcc?: string[]
  reply_to?: string[]
  headers?: Record<string, string>
  attachments?: LoggedAttachment[]
}

/** @param content its bytes, or their base64 */
export function attachmentOf(
  {
    filename,
    content_type,
    content_id,
  }: Pick<LoggedAttachment, 'filename' | 'content_type'> & {
    content_id?: string | undefined
  },
  content: string | Uint8Array,
): LoggedAttachment {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'base64') : content
  return {
    filename,
    content_type,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...(content_id !== undefined && { content_id }),
  }
}

/** Leaves out what is empty. */
export function mailParts(parts: { [Part in keyof MailParts]: MailParts[Part] | undefined }): MailParts {
  const given = Object.entries(parts).filter(([, part]) => part && Object.keys(part).length > 0)
  return Object.fromEntries(given)
}

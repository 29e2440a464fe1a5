import type { MailParts } from '../stand-ins/mail-parts.ts'

/** A message to be sent, in any of the formats of a send request. */
export interface Email {
  /** The From header, as a reader sees it. */
  from: string
  fromAddress: string
  /** Bare addresses of all recipients. */
  destination: string[]
  to: string[]
  subject: string
  text: string
  html: string | undefined
  parts: MailParts
  headers: { name: string; value: string }[]
  tags: Record<string, string>
  configurationSet: string | undefined
}

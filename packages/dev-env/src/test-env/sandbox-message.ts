/** A message as the carrier sandbox received it. */
export interface SandboxMessage {
  id: string
  channel: string
  to: string
  from: string
  text: string
  provider_message_id: string
  received_at: string
  request: { headers: Record<string, string>; body: unknown }
  subject?: string
  html?: string
  cc?: string[]
  bcc?: string[]
  reply_to?: string[]
  headers?: Record<string, string>
  attachments?: { filename: string; content_type: string; size: number; sha256: string; content_id?: string }[]
}

/** An email as it is kept for the worker: composed, with addresses in ASCII and names of one line. */
export interface EmailPayload {
  to: string
  to_name?: string
  /** Sender instead of the provider's; its domain is verified before acceptance. */
  from?: string
  from_name?: string
  subject: string
  text?: string
  html?: string
}

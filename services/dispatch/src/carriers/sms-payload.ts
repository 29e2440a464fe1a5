/** An SMS as it is kept for the worker. */
export interface SmsPayload {
  to: string
  text: string
}

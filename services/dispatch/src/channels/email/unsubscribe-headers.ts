import type { EmailPayload } from './payload.ts'

/**
 * Adds the headers by which mail programs show a button to unsubscribe (RFC 2369, RFC 8058). A caller that sets its own
 * List-Unsubscribe keeps it. A message with copies gets none: the button in a copy would unsubscribe the recipient.
 */
export function withUnsubscribe(payload: EmailPayload, url: string): EmailPayload {
  const given = Object.entries(payload.headers ?? {})
  const has = (wanted: string) => given.some(([name]) => name.toLowerCase() === wanted)
  if (has('list-unsubscribe') || payload.cc || payload.bcc) return payload
  // A List-Unsubscribe-Post alone would be about our link.
  const others = given.filter(([name]) => name.toLowerCase() !== 'list-unsubscribe-post')
  const added = { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return { ...payload, headers: { ...Object.fromEntries(others), ...added } }
}

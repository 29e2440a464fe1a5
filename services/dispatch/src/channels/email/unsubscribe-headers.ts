import type { EmailPayload } from './payload.ts'

/**
 * Adds the headers by which mail programs show a button to unsubscribe (RFC 2369, RFC 8058). A caller that sets its own
 * List-Unsubscribe keeps it.
 */
export function withUnsubscribe(payload: EmailPayload, url: string): EmailPayload {
  const given = Object.keys(payload.headers ?? {}).map((name) => name.toLowerCase())
  if (given.some((name) => name === 'list-unsubscribe' || name === 'list-unsubscribe-post')) return payload
  const added = { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return { ...payload, headers: { ...payload.headers, ...added } }
}

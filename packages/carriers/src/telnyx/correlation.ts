import { createHash, createHmac } from 'node:crypto'
import { isSame } from '../callback-proof.ts'
import { type Correlation, correlationOfUrl } from '../correlation.ts'

/** The signature of a webhook leaves out its address, so the ids in it have a MAC, under a key that only this account has. */
export const correlationKeyOf = (apiKey: string) => createHash('sha256').update(`correlation ${apiKey}`).digest('hex')

type Ids = Record<'notification_id' | 'attempt_id', string>

/** The query that a message's webhooks come back with. */
export function signedQuery(ids: Ids, key: string): URLSearchParams {
  return new URLSearchParams({ ...ids, mac: macOf(ids, key) })
}

/** The ids in an address; none unless their MAC is right: the carrier's own id of the message, which is signed, counts then. */
export function provenCorrelation(url: string, key: string | null | undefined): Correlation {
  const { notification_id, attempt_id } = correlationOfUrl(url)
  if (!key || !notification_id || !attempt_id) return {}
  const given = new URLSearchParams(url.slice(url.indexOf('?'))).get('mac') ?? ''
  return isSame(given, macOf({ notification_id, attempt_id }, key)) ? { notification_id, attempt_id } : {}
}

function macOf({ notification_id, attempt_id }: Ids, key: string): string {
  return createHmac('sha256', key).update(`${notification_id} ${attempt_id}`).digest('base64url')
}

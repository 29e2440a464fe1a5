import { idSchema } from '@notify/contracts'
import { z } from 'zod'

const Correlation = z.object({
  notification_id: idSchema('notif').optional().catch(undefined),
  attempt_id: idSchema('att').optional().catch(undefined),
  provider_id: idSchema('prov').optional().catch(undefined),
})
export type Correlation = z.output<typeof Correlation>

/** Our own correlation from what travelled with the send; what cannot be ours is passed over. */
export function readCorrelation(values: Record<string, unknown>): Correlation {
  return Correlation.parse(values)
}

/** The correlation in the address of a callback. */
export function correlationOfUrl(url: string): Correlation {
  const query = url.indexOf('?')
  return readCorrelation(query === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(query))))
}

/** What a receipt says of whom it is about: all of it or nothing. */
export function correlated({ notification_id, attempt_id }: Correlation) {
  return notification_id && attempt_id ? { notification_id, attempt_id } : {}
}

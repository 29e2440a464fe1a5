import { idSchema } from '@notify/contracts'
import { z } from 'zod'

const Correlation = z.object({
  notification_id: idSchema('notif').optional().catch(undefined),
  attempt_id: idSchema('att').optional().catch(undefined),
  provider_id: idSchema('prov').optional().catch(undefined),
})
export type Correlation = z.output<typeof Correlation>

/** The correlation that the carrier returned; invalid values are dropped. */
export function readCorrelation(values: Record<string, unknown>): Correlation {
  return Correlation.parse(values)
}

/** The correlation in a callback URL. */
export function correlationOfUrl(url: string): Correlation {
  const query = url.indexOf('?')
  return readCorrelation(query === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(query))))
}

/** The identity of a receipt's message: both ids or neither. */
export function correlated({ notification_id, attempt_id }: Correlation) {
  return notification_id && attempt_id ? { notification_id, attempt_id } : {}
}

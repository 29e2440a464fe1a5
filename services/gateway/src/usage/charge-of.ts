import type { NotificationFact } from '@notify/contracts'
import type { Config } from '../config.ts'
import type { Charge } from './count-charges.ts'

/** Facts are repeated for days at most. */
const leastMs = 90 * 86_400_000

/** How long a charge is recognised: as long as the activity shows the message, which can be retried there. */
export const recognisedMs = ({ ACTIVITY_RETENTION }: Pick<Config, 'ACTIVITY_RETENTION'>): number =>
  Math.max(leastMs, ACTIVITY_RETENTION)

/** States before a message has reached its carrier, which never follow a charge without another fact. */
const notYet: ReadonlySet<string> = new Set(['scheduled', 'queued', 'cancelled'])
const charged: ReadonlySet<string> = new Set(['sent', 'delivered', 'undelivered'])

/**
 * What a fact charges. A message costs its credits once, when its carrier has taken it, however often it is retried;
 * one that failed costs nothing.
 * @param sinceMs messages accepted before are not charged, because an earlier charge is no longer recognised
 * @returns undefined for what never costs anything: other channels, test keys, and messages not sent yet
 */
export function chargeOf(fact: NotificationFact, sinceMs: number): Charge | undefined {
  const { notification_id: id, revision, tenant_id, application_id, channel, status, created_at } = fact
  const { credits, category } = fact
  if (credits === 0 || fact.mode === 'test' || notYet.has(status)) return undefined
  if (Date.parse(created_at) < sinceMs) return undefined
  const day = new Date(created_at).toISOString().slice(0, 10)
  const cost = charged.has(status) ? credits : 0
  const kind = { category: category ?? '', country_prefix: fact.country_prefix ?? '', segments: fact.segments ?? 0 }
  const charge = { id, revision, tenant_id, application_id, channel, ...kind, credits: cost, day }
  return fact.locale == null ? charge : { ...charge, locale: fact.locale }
}

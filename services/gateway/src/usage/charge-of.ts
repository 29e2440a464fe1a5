import type { NotificationFact } from '@notify/contracts'
import type { Charge } from './usage-store.ts'

/** States before a message has reached its carrier, which never follow a charge without another fact. */
const notYet: ReadonlySet<string> = new Set(['scheduled', 'queued', 'cancelled'])
const charged: ReadonlySet<string> = new Set(['sent', 'delivered', 'undelivered'])

/**
 * What a fact charges. A message costs its credits once, when its carrier has taken it, however often it is retried;
 * one that failed costs nothing.
 * @returns undefined for what never costs anything: other channels, test keys, and messages not sent yet
 */
export function chargeOf(fact: NotificationFact): Charge | undefined {
  const { notification_id: id, revision, tenant_id, application_id, channel, status, created_at } = fact
  const { credits = 0, category } = fact
  if (credits === 0 || fact.mode === 'test' || notYet.has(status)) return undefined
  const day = new Date(created_at).toISOString().slice(0, 10)
  const cost = charged.has(status) ? credits : 0
  return { id, revision, tenant_id, application_id, channel, category: category ?? '', credits: cost, day }
}

import type { NotificationFact } from '@notify/contracts'

/** States before a message has reached its carrier, which never follow a charge without another fact. */
const notYet: ReadonlySet<string> = new Set(['scheduled', 'queued', 'cancelled'])
const charged: ReadonlySet<string> = new Set(['sent', 'delivered', 'undelivered'])

/**
 * The credits of a message in this state. It costs them once, when its carrier has taken it, however often it is retried; one that
 * failed costs nothing.
 * @param sinceMs messages accepted before are not charged, because an earlier charge is no longer known
 * @returns null when an earlier charge stays as it is
 */
export function creditsOf(fact: NotificationFact, sinceMs: number): number | null {
  const { credits, mode, status, created_at } = fact
  if (credits === 0 || mode === 'test' || notYet.has(status)) return null
  if (Date.parse(created_at) < sinceMs) return null
  return charged.has(status) ? credits : 0
}

/** What usage is grouped by, beside the application and the day. */
export const usageFieldsOf = ({ category, country_prefix, segments }: NotificationFact) => ({
  category: category ?? '',
  country_prefix: country_prefix ?? '',
  segments: segments ?? 0,
})

import type { NotificationFact } from '@notify/contracts'
import { defineStatement, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { Subscriber } from '../subscriptions/subscription-store.ts'

/** Longer than a killed process keeps unacknowledged messages. */
const longestWaitMs = 20_000

/** An event precedes another of its notification that was not sent yet: it is retried soon. */
export class EarlyEvent extends Error {
  override name = 'EarlyEvent'
}

interface Earlier {
  subscription_id: string
  notification_id: string
  retry_count: number
}

/**
 * The event that was sent before: each round ends with at most one failure, and only a late report of delivery may follow it.
 * @returns the round of that failure; undefined when there is none
 */
export function failedBefore({ retry_count, after_failure }: NotificationFact): number | undefined {
  if (after_failure) return retry_count
  return retry_count > 0 ? retry_count - 1 : undefined
}

const find = defineStatement({
  name: 'find-earlier-deliveries',
  text: `
    select input.notification_id, input.subscription_id, input.retry_count
    from json_to_recordset($1::json) as input (notification_id text, subscription_id text, retry_count int)
    left join lateral (
      select status, charged, held, created_at from deliveries d
      where d.notification_id = input.notification_id and d.subscription_id = input.subscription_id
        and d.event_type = 'notification.failed' and d.retry_count = input.retry_count
    ) as earlier on true
    where earlier.status is null or (earlier.status = 'pending' and earlier.charged + earlier.held = 0
      and earlier.created_at > now() - make_interval(secs => $2))`,
  columns: {
    notification_id: tables.deliveries.notification_id.present(),
    subscription_id: tables.deliveries.subscription_id.present(),
    retry_count: tables.deliveries.retry_count,
  },
})

/** A subscriber, and the failure that must reach it first. Without its round, two facts of a batch would wait for each other. */
export const turnOf = (notificationId: string, subscriptionId: string, round: number): string =>
  `${notificationId} ${subscriptionId} ${round}`

/**
 * Finds subscribers that an earlier event of the same notification has not reached: it has not arrived here, or was not tried.
 * @returns their {@link turnOf}
 */
export async function findEarly(
  run: Run,
  facts: readonly NotificationFact[],
  subscribersOf: (fact: NotificationFact) => readonly Subscriber[],
  { nowMs, retentionMs, orderLimitMs }: { nowMs: number; retentionMs: number; orderLimitMs: number },
): Promise<ReadonlySet<string>> {
  const earlier = facts.flatMap((fact): Earlier[] => {
    const retry_count = failedBefore(fact)
    const acceptedMs = Date.parse(fact.created_at)
    const isLate = nowMs - Date.parse(fact.occurred_at) > longestWaitMs || nowMs - acceptedMs > retentionMs
    if (retry_count === undefined || isLate) return []
    const { notification_id } = fact
    // A subscriber that subscribed or changed after the acceptance may not have been sent the earlier event.
    return subscribersOf(fact)
      .filter(({ events, changed_ms }) => events.includes('notification.failed') && changed_ms < acceptedMs)
      .map(({ id }) => ({ subscription_id: id, notification_id, retry_count }))
  })
  if (earlier.length === 0) return new Set()
  const rows = await run(find, [JSON.stringify(earlier), orderLimitMs / 1000])
  return new Set(rows.map((row) => turnOf(row.notification_id, row.subscription_id, row.retry_count)))
}

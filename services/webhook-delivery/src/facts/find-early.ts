import type { NotificationFact } from '@notify/contracts'
import { defineStatement, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import { eventTypeOf } from '../deliveries/message-body.ts'
import type { Subscriber } from '../subscriptions/subscription-store.ts'

/** The event that must reach a subscriber first. */
interface Earlier {
  subscription_id: string
  notification_id: string
  retry_count: number
  fan_out_id: string
  /** Its successor has waited so long that this one waits here, or does not come. */
  is_late: boolean
}

/** The id under which an event waits. The failures of a round share it: there is at most one. */
export const fanOutIdOf = (fact: Pick<NotificationFact, 'notification_id' | 'status' | 'retry_count'>): string =>
  `${fact.notification_id} ${eventTypeOf(fact.status)} ${fact.retry_count}`

/**
 * The event that was sent before: each round has the event of at most one failure, which only a late report of delivery follows.
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
    from json_to_recordset($1::json) as input (notification_id text, subscription_id text, retry_count int, fan_out_id text,
      is_late boolean)
    left join lateral (
      select status, charged, held, created_at from deliveries d
      where d.notification_id = input.notification_id and d.subscription_id = input.subscription_id
        and d.event_type = 'notification.failed' and d.retry_count = input.retry_count
    ) as earlier on true
    where case
      when earlier.status is null then not is_late or exists (select from fan_outs f where f.id = input.fan_out_id)
      else earlier.status = 'pending' and earlier.charged + earlier.held = 0
        and earlier.created_at > now() - make_interval(secs => $2) end`,
  columns: {
    notification_id: tables.deliveries.notification_id.present(),
    subscription_id: tables.deliveries.subscription_id.present(),
    retry_count: tables.deliveries.retry_count,
  },
})

/** A subscriber, and the failure that must reach it first. Without its round, two facts of a batch would wait for each other. */
export const turnOf = (notificationId: string, subscriptionId: string, round: number): string =>
  `${notificationId} ${subscriptionId} ${round}`

interface Waits {
  /** The facts that have waited here for as long as any may. */
  late: ReadonlySet<NotificationFact>
  nowMs: number
  retentionMs: number
  orderLimitMs: number
}

/**
 * Finds subscribers that an earlier event of the same notification has not reached: it has not arrived here, waits for its turn,
 * or was not tried.
 * @returns their {@link turnOf}
 */
export async function findEarly(
  run: Run,
  facts: readonly NotificationFact[],
  subscribersOf: (fact: NotificationFact) => readonly Subscriber[],
  { late, nowMs, retentionMs, orderLimitMs }: Waits,
): Promise<ReadonlySet<string>> {
  const earlier = facts.flatMap((fact): Earlier[] => {
    const retry_count = failedBefore(fact)
    if (retry_count === undefined) return []
    const { notification_id } = fact
    const acceptedMs = Date.parse(fact.created_at)
    const is_late = late.has(fact) || nowMs - acceptedMs > retentionMs
    const fan_out_id = fanOutIdOf({ notification_id, status: 'failed', retry_count })
    // A subscriber that subscribed or changed after the acceptance may not have been sent the earlier event.
    return subscribersOf(fact)
      .filter(({ events, changed_ms }) => events.includes('notification.failed') && changed_ms < acceptedMs)
      .map(({ id }) => ({ subscription_id: id, notification_id, retry_count, fan_out_id, is_late }))
  })
  if (earlier.length === 0) return new Set()
  const rows = await run(find, [JSON.stringify(earlier), orderLimitMs / 1000])
  return new Set(rows.map((row) => turnOf(row.notification_id, row.subscription_id, row.retry_count)))
}

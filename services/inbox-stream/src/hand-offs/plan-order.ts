import type { Id } from '@notify/contracts'
/** A notification of an inbox, and the one that was accepted before it. */
export interface Linked {
  notification_id: Id<'notif'>
  /** Null when it need not wait for any. */
  after: Id<'notif'> | null
}

/** The state of the same inboxes in Postgres. */
export interface Known {
  /** The stored ones among the received notifications and the predecessors of these and of waiting ones. */
  stored: ReadonlySet<string>
  waiting: readonly Linked[]
}

/** Ids of notifications. */
interface Plan {
  /** To be stored now, in this order, including those that waited for them. */
  ready: Id<'notif'>[]
  /** Must wait for their predecessors. */
  early: Id<'notif'>[]
  /** Wait, although their predecessors do not: `mayStore` refused them. */
  held: Id<'notif'>[]
  /** Wait for those of `held`. */
  behind: Id<'notif'>[]
}

/**
 * Orders notifications after their predecessors.
 * @param mayStore whether a notification whose turn it is may be stored; if not, those after it wait as well
 */
export function planOrder(
  received: readonly Linked[],
  { stored, waiting }: Known,
  mayStore: (id: Id<'notif'>) => boolean = () => true,
): Plan {
  const open = new Map(waiting.map(({ notification_id, after }) => [notification_id, after]))
  for (const { notification_id, after } of received) {
    // A repetition without a predecessor replaces the waiting one.
    if (open.get(notification_id) !== null && !stored.has(notification_id)) open.set(notification_id, after)
  }
  const ids = [...open.keys()]
  const followers = Map.groupBy(ids, (id) => open.get(id)!)
  const turns = ids.filter((id) => open.get(id) === null || stored.has(open.get(id)!))
  const ready: Id<'notif'>[] = []
  const held: Id<'notif'>[] = []
  // Grows during the loop: successors are appended after the notification that they waited for.
  for (const id of turns) {
    if (mayStore(id)) {
      ready.push(id)
      turns.push(...(followers.get(id) ?? []))
    } else held.push(id)
  }
  const behind = held.flatMap((id) => followers.get(id) ?? [])
  for (const id of behind) behind.push(...(followers.get(id) ?? []))
  const done = new Set([...ready, ...waiting.map(({ notification_id }) => notification_id)])
  return { ready, early: ids.filter((id) => !done.has(id)), held, behind }
}

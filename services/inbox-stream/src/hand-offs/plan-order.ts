import type { Id } from '@notify/contracts'
/** A notification of an inbox, and the one that was accepted before it. */
export interface Linked {
  notification_id: Id<'notif'>
  /** Null when it need not wait for any. */
  after: Id<'notif'> | null
}

/** The state of the same inboxes in Postgres. */
export interface Known {
  /** The stored ones among the received notifications and their predecessors. */
  stored: ReadonlySet<string>
  waiting: readonly Linked[]
}

/**
 * Orders notifications after their predecessors.
 * @returns ids. `ready`: those to store now, in this order, including those that waited for them; `early`: those that must wait
 */
export function planOrder(
  received: readonly Linked[],
  { stored, waiting }: Known,
): { ready: Id<'notif'>[]; early: Id<'notif'>[] } {
  const open = new Map(waiting.map(({ notification_id, after }) => [notification_id, after]))
  for (const { notification_id, after } of received) {
    // A repetition without a predecessor replaces the waiting one.
    if (open.get(notification_id) !== null && !stored.has(notification_id)) open.set(notification_id, after)
  }
  const ids = [...open.keys()]
  const followers = Map.groupBy(ids, (id) => open.get(id)!)
  const ready = ids.filter((id) => open.get(id) === null || stored.has(open.get(id)!))
  // Grows during the loop: successors are appended after the notification that they waited for.
  for (const id of ready) ready.push(...(followers.get(id) ?? []))
  const done = new Set([...ready, ...waiting.map(({ notification_id }) => notification_id)])
  return { ready, early: ids.filter((id) => !done.has(id)) }
}

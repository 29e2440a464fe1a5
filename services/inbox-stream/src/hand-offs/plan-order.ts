import type { Id } from '@notify/contracts'
/** A notification of an inbox, and the one that was accepted before it. */
export interface Linked {
  notification_id: Id<'notif'>
  /** Null when it need not wait for any. */
  after: Id<'notif'> | null
}

/** What Postgres holds of the same inboxes. */
export interface Known {
  /** Of the notifications received and their predecessors, those that stand in an inbox. */
  stored: ReadonlySet<string>
  waiting: readonly Linked[]
}

/**
 * Puts notifications behind their predecessors.
 * @returns ids. `ready`: what can be stored now, in this order, and what waited for it; `early`: what has to wait
 */
export function planOrder(
  received: readonly Linked[],
  { stored, waiting }: Known,
): { ready: Id<'notif'>[]; early: Id<'notif'>[] } {
  const open = new Map(waiting.map(({ notification_id, after }) => [notification_id, after]))
  for (const { notification_id, after } of received) {
    // A repetition that waits for none replaces the one that waits.
    if (open.get(notification_id) !== null && !stored.has(notification_id)) open.set(notification_id, after)
  }
  const ids = [...open.keys()]
  const followers = Map.groupBy(ids, (id) => open.get(id)!)
  const ready = ids.filter((id) => open.get(id) === null || stored.has(open.get(id)!))
  // Grows while it is walked: what follows comes behind what it waited for.
  for (const id of ready) ready.push(...(followers.get(id) ?? []))
  const done = new Set([...ready, ...waiting.map(({ notification_id }) => notification_id)])
  return { ready, early: ids.filter((id) => !done.has(id)) }
}

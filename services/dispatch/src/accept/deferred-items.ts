import type { IsAwaited } from '@notify/service-kit'

/** An item of a call whose processing has started. */
export interface Started<Result> {
  id: string
  /** Settled when the slow part is over. */
  prepared: Promise<unknown>
  /** Never rejects. */
  result: Promise<Result>
  /** Makes the item wait for another caller. */
  waitFor(isAwaited: IsAwaited): void
}

/** Items that took longer than the rest of their call, until they are requested again. */
export interface DeferredItems<Result> {
  /** Returns a deferred item. */
  find(id: string): Started<Result> | undefined
  /** Waits for the results of all items except the slow ones, which get the result `pending` and continue. */
  resultsOf(items: readonly Started<Result>[], pending: Result): Promise<Result[]>
}

/** How long the items of a call wait for a slow one, in milliseconds. */
const graceMs = 5
const keptMs = 30_000

export function createDeferredItems<Result>(): DeferredItems<Result> {
  const deferred = new Map<string, Started<Result>>()
  const keep = (item: Started<Result>) => {
    deferred.set(item.id, item)
    void item.result.finally(() => setTimeout(() => deferred.delete(item.id), keptMs).unref())
  }
  return {
    find: (id) => deferred.get(id),
    async resultsOf(items, pending) {
      const ready = new Set<Started<Result>>()
      const all = Promise.all(items.map((one) => one.prepared.then(() => ready.add(one))))
      const { promise: graceOver, resolve: endGrace } = Promise.withResolvers<void>()
      const timer = setTimeout(endGrace, graceMs)
      await Promise.race([all, graceOver])
      clearTimeout(timer)
      return Promise.all(
        items.map((one) => {
          if (ready.has(one)) return one.result
          keep(one)
          return pending
        }),
      )
    },
  }
}

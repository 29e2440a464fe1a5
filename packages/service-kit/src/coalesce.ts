interface CoalesceOptions<In, Out> {
  /** Handles many items at once; answers in the same order. An `Error` in the list refuses that item alone. */
  run(items: readonly In[]): Promise<readonly (Out | Error)[]>
  maxBatch: number
  /** Batches under way at once: while all are, further items gather into the next one. */
  maxInFlight: number
  /** Least time from the start of one batch to the start of the next; 0 by default. The first after a pause starts at once. */
  minIntervalMs?: number
  /** What an item weighs, and the most that a batch may weigh; a heavier item goes alone. */
  weight?: { of(item: In): number; max: number }
}

interface Waiting<In, Out> {
  item: In
  resolve(result: Out): void
  reject(error: unknown): void
}

/**
 * Gathers the items of one turn of the event loop into one call. An idle process waits for the end of the turn only; a busy
 * one gathers while earlier calls are under way, so batches grow with the load.
 */
export function coalesce<In, Out>({
  run,
  maxBatch,
  maxInFlight,
  minIntervalMs = 0,
  weight,
}: CoalesceOptions<In, Out>): (item: In) => Promise<Out> {
  const waiting: Waiting<In, Out>[] = []
  let inFlight = 0
  let scheduled = false
  let earliestMs = 0

  const schedule = () => {
    if (scheduled || inFlight >= maxInFlight || waiting.length === 0) return
    scheduled = true
    const waitMs = minIntervalMs === 0 ? 0 : earliestMs - performance.now()
    if (waitMs > 0) setTimeout(dispatch, waitMs)
    else setImmediate(dispatch)
  }
  const dispatch = () => {
    scheduled = false
    if (minIntervalMs > 0) earliestMs = performance.now() + minIntervalMs
    while (inFlight < maxInFlight && waiting.length > 0) {
      const batch = waiting.splice(0, countThatFits(maxBatch))
      inFlight++
      void settle(batch)
    }
  }
  const countThatFits = (most: number) => {
    if (!weight) return most
    let count = 0
    let total = 0
    for (const { item } of waiting) {
      total += weight.of(item)
      if (count === most || (total > weight.max && count > 0)) break
      count++
    }
    return count
  }
  const settle = async (batch: Waiting<In, Out>[]) => {
    try {
      const results = await run(batch.map(({ item }) => item))
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index] as Out | Error
        if (result instanceof Error) reject(result)
        else resolve(result)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      inFlight--
      schedule()
    }
  }
  return (item) =>
    new Promise<Out>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}

/**
 * Runs a batch; when it fails, halves it until the item at fault fails alone and all others are done. `shared` tells
 * failures that are not any item's fault (a lost connection): those are thrown for the whole batch at once.
 */
export async function bisect<In, Out>(
  items: readonly In[],
  run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  shared: (error: unknown) => boolean,
): Promise<readonly (Out | Error)[]> {
  try {
    return await run(items)
  } catch (error) {
    if (shared(error)) throw error
    if (items.length === 1) return [error instanceof Error ? error : new Error(String(error))]
    const middle = items.length >> 1
    const left = await bisect(items.slice(0, middle), run, shared)
    return [...left, ...(await bisect(items.slice(middle), run, shared))]
  }
}

import { withoutLogFields } from './telemetry/log-fields.ts'

interface CoalesceOptions<In, Out> {
  /** Processes a batch; returns results in the same order. An `Error` in the list rejects only that item. */
  run(items: readonly In[]): Promise<readonly (Out | Error)[]>
  maxBatch: number
  /** Maximum concurrent batches; further items collect in the next batch. */
  maxInFlight: number
  /** Minimum time between batch starts; 0 by default. The first batch after a pause starts at once. */
  minIntervalMs?: number
  /** Weight of an item, and the maximum per batch. A heavier item gets a batch of its own. */
  weight?: { of(item: In): number; max: number }
}

interface Waiting<In, Out> {
  item: In
  resolve(result: Out): void
  reject(error: unknown): void
}

/**
 * Batches the items of one turn of the event loop into one call. While earlier calls are in progress, items collect for
 * the next batch, so batches grow with load and an idle process adds no delay.
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
    // The log fields of one item must not apply to the whole batch.
    withoutLogFields(() => {
      if (waitMs > 0) setTimeout(dispatch, waitMs)
      else setImmediate(dispatch)
    })
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
 * Runs the items of a batch in pieces, one after the other. A piece that fails is bisected, so that only the faulty item
 * fails.
 * @param isShared identifies failures that affect every item, such as a lost connection; after one, nothing further is run
 * @returns results in the order of the items, with the failure for those that failed or were not run
 */
export async function bisect<In, Out>(
  pieces: readonly (readonly In[])[],
  run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  isShared: (error: unknown) => boolean,
): Promise<(Out | Error)[]> {
  const results: (Out | Error)[] = []
  const left = pieces.toReversed()
  let shared: Error | undefined
  while (left.length > 0) {
    const piece = left.pop()!
    try {
      results.push(...(shared ? piece.map(() => shared!) : await run(piece)))
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      if (isShared(error)) shared = failure
      if (shared || piece.length === 1) results.push(...piece.map(() => failure))
      else left.push(piece.slice(piece.length >> 1), piece.slice(0, piece.length >> 1))
    }
  }
  return results
}

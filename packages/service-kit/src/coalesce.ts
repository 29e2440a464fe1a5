import DataLoader from 'dataloader'

interface CoalesceOptions<In, Out> {
  /** Handles many items at once; answers in the same order. An `Error` in the list refuses that item alone. */
  run(items: readonly In[]): Promise<readonly (Out | Error)[]>
  maxBatch: number
  /** Batches under way at once: while all are, further items gather into the next one. */
  maxInFlight: number
}

/**
 * Gathers the items of one turn of the event loop into one call. An idle process waits for the end of the turn only; a busy
 * one gathers while earlier calls are under way, so batches grow with the load.
 */
export function coalesce<In, Out>({
  run,
  maxBatch,
  maxInFlight,
}: CoalesceOptions<In, Out>): (item: In) => Promise<Out> {
  let inFlight = 0
  const waiting: (() => void)[] = []
  const start = (dispatch: () => void) => {
    inFlight++
    setImmediate(dispatch)
  }
  const loader = new DataLoader<In, Out>(
    async (items) => {
      try {
        return await run(items)
      } finally {
        inFlight--
        const next = waiting.shift()
        if (next) start(next)
      }
    },
    {
      cache: false,
      maxBatchSize: maxBatch,
      batchScheduleFn: (dispatch) => {
        if (inFlight < maxInFlight) start(dispatch)
        else waiting.push(dispatch)
      },
    },
  )
  return (item) => loader.load(item)
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

/** An item of a call that has been begun. */
export interface Begun<Result> {
  id: string
  /** Settled when what takes time is over. */
  prepared: Promise<unknown>
  /** Never rejects. */
  result: Promise<Result>
}

/** Items that took longer than their neighbours in a call, until they are asked for again. */
export interface Stragglers<Result> {
  /** The result of an item that was left behind. */
  take(id: string): Promise<Result> | undefined
  /** Waits for the results of all items but those that are not prepared soon; these are `instead`, and go on. */
  leaveBehind(begun: readonly Begun<Result>[], instead: Result): Promise<Result[]>
}

/** How long the items of a call wait for one of them, in milliseconds. */
const graceMs = 5
const rememberedMs = 30_000

export function createStragglers<Result>(): Stragglers<Result> {
  const late = new Map<string, Promise<Result>>()
  const keep = ({ id, result }: Begun<Result>) => {
    late.set(id, result)
    void result.finally(() => setTimeout(() => late.delete(id), rememberedMs).unref())
  }
  return {
    take: (id) => late.get(id),
    async leaveBehind(begun, instead) {
      const ready = new Set<Begun<Result>>()
      const all = Promise.all(begun.map((one) => one.prepared.then(() => ready.add(one))))
      const { promise: graceOver, resolve: endGrace } = Promise.withResolvers<void>()
      const timer = setTimeout(endGrace, graceMs)
      await Promise.race([all, graceOver])
      clearTimeout(timer)
      return Promise.all(
        begun.map((one) => {
          if (ready.has(one)) return one.result
          keep(one)
          return instead
        }),
      )
    },
  }
}

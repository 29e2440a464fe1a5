/** The connections of a pool. */
export interface Connections {
  /** Waits for a free one. @returns a function that gives it back; undefined if none became free in time */
  borrow(isCode: boolean): Promise<(() => void) | undefined>
}

/** Lends the connections of a pool, so that no send begins without one. Codes get one before other messages that wait. */
export function lendConnections(count: number, longestWaitMs: number): Connections {
  const codes = new Set<() => void>()
  const others = new Set<() => void>()
  let lent = 0
  const giveBack = () => {
    lent--
    const [next] = codes.size > 0 ? codes : others
    next?.()
  }
  const lend = () => {
    lent++
    return giveBack
  }
  return {
    async borrow(isCode) {
      if (lent < count) return lend()
      const waiting = isCode ? codes : others
      return new Promise((resolve) => {
        const begin = () => {
          clearTimeout(timer)
          waiting.delete(begin)
          resolve(lend())
        }
        const timer = setTimeout(() => {
          waiting.delete(begin)
          resolve(undefined)
        }, longestWaitMs)
        waiting.add(begin)
      })
    },
  }
}

/** Runs work once it has a place. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Lets few pieces of work begin together; the others wait in order. One that takes longer gives its place up, so that slow
 * ones never hold up all others.
 * @param places how many hold a place at a time
 * @param longestMs how long one holds it at most
 */
export function createTurns({ places, longestMs }: { places: number; longestMs: number }): Turns {
  let free = places
  const waiting: (() => void)[] = []
  const give = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    let holds = true
    const leave = () => {
      if (holds) give()
      holds = false
    }
    const timer = setTimeout(leave, longestMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      leave()
    }
  }
}

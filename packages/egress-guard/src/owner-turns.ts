/** The code of the error for a question that waited too long for those of its owner. */
export const busyCode = 'EBUSY'

interface Turns {
  underWay: number
  waiting: Set<() => void>
}

/**
 * Runs a few tasks of each owner at the same time. Further ones wait for those of their own owner.
 * @param waitMs how long one may wait
 * @returns runs a task in its turn; it throws an error with the code EBUSY when the wait was too long
 */
export function createOwnerTurns(most: number, waitMs: number) {
  const owners = new Map<string, Turns>()
  return async <T>(owner: string, run: () => Promise<T>): Promise<T> => {
    const turns = owners.get(owner) ?? { underWay: 0, waiting: new Set() }
    owners.set(owner, turns)
    if (turns.underWay < most) turns.underWay += 1
    else await turn(turns, waitMs)
    try {
      return await run()
    } finally {
      const [next] = turns.waiting
      if (next) next()
      else turns.underWay -= 1
      if (turns.underWay === 0) owners.delete(owner)
    }
  }
}

function turn({ waiting }: Turns, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(start)
      reject(Object.assign(new Error('too many questions of one owner'), { code: busyCode, syscall: 'query' }))
    }, waitMs)
    const start = () => {
      clearTimeout(timer)
      waiting.delete(start)
      resolve()
    }
    waiting.add(start)
  })
}

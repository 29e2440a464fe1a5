import type { Queries } from '../open.ts'
import type { Erasure, Person } from './person.ts'

interface Walked {
  found: number
  /** Rows that were found but are in use at the moment. */
  left: number
  /** Rows that cannot be decrypted. */
  unreadable?: number
}

/** An erasure that has no index: each run of the command reads all rows once, to count or to erase. */
export function walkErasure(
  name: string,
  walk: (db: Queries, person: Person, erase: boolean) => Promise<Walked>,
): Erasure {
  let left: number | undefined
  let unreadable = 0
  const walkOnce: typeof walk = async (...given) => {
    const walked = await walk(...given)
    unreadable = walked.unreadable ?? 0
    return walked
  }
  return {
    name,
    count: async (db, person) => left ?? (await walkOnce(db, person, false)).found,
    async erase(db, person) {
      if (left !== undefined) return 0
      const walked = await walkOnce(db, person, true)
      left = walked.left
      return walked.found - walked.left
    },
    unreadable: () => unreadable,
  }
}

/** Decrypts one of many values: one that is damaged must not end the walk. @returns undefined if it cannot be decrypted */
export function tryOpen<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}

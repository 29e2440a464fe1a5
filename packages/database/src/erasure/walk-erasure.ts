import type { Queries } from '../open.ts'
import type { Erasure, Person } from './person.ts'

interface Walked {
  found: number
  /** Rows that were found but are in use at the moment. */
  left: number
}

/** An erasure that has no index: each run of the command reads all rows once, to count or to erase. */
export function walkErasure(
  name: string,
  walk: (db: Queries, person: Person, erase: boolean) => Promise<Walked>,
): Erasure {
  let left: number | undefined
  return {
    name,
    count: async (db, person) => left ?? (await walk(db, person, false)).found,
    async erase(db, person) {
      if (left !== undefined) return 0
      const walked = await walk(db, person, true)
      left = walked.left
      return walked.found - walked.left
    },
  }
}

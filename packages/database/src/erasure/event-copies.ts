import { readMessage } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import type { Queries } from '../open.ts'
import { namingEventOf, namingPatterns } from './naming-events.ts'
import { type Erasure, erasedText, type Person } from './person.ts'
import { walkErasure } from './walk-erasure.ts'
import { withoutPerson } from './without-person.ts'

/** Rows read at a time. */
const pageSize = 1000
const beginning = '00000000-0000-0000-0000-000000000000'

interface Copy {
  id: string
  subject: string
  /** JSON of an array of wire events, or of one payload. */
  text: string
  single: boolean
}

interface Table {
  name: 'outbox' | 'dead_letters'
  column: string
  /** SQL: whether a row holds one payload. */
  single: string
}

const tables: readonly Table[] = [
  { name: 'outbox', column: 'events', single: 'false' },
  { name: 'dead_letters', column: 'event', single: 'not whole_message' },
]

/** The events that the outbox and the dead letters hold: of several in a message, only those of the person change. */
export function eventCopies(keyRing: KeyRing | undefined): Erasure[] {
  return tables.map((table) =>
    walkErasure(table.name, async (db, person, erase) => {
      let found = 0
      for await (const copy of copiesOf(db, table)) {
        const text = erasedCopy(copy, person, keyRing)
        if (text === undefined) continue
        found++
        if (erase) await replace(db, table, copy.id, text)
      }
      return { found, left: 0 }
    }),
  )
}

async function* copiesOf(db: Queries, { name, column, single }: Table): AsyncGenerator<Copy> {
  for (let after = beginning; ; ) {
    const rows = await db.runLong<Copy & { text: string | null }>(
      `select id, subject, ${single} as single, case when subject like any($2::text[]) then ${column} end as text
       from ${name} where id > $1 order by id limit ${pageSize}`,
      [after, namingPatterns],
    )
    if (rows.length === 0) return
    yield* rows.filter(({ text }) => text !== null)
    after = rows.at(-1)!.id
  }
}

/** @returns the text without the person; null when nothing is left of it; undefined when it does not name them */
function erasedCopy({ subject, text, single }: Copy, person: Person, keyRing: KeyRing | undefined) {
  const contract = namingEventOf(subject)
  if (!contract) return undefined
  try {
    const wires = single ? [{ event: JSON.parse(text) as unknown }] : readMessage(text)
    const rest = withoutPerson(wires, { person, contract, keyRing })
    if (!rest) return undefined
    if (!single) return JSON.stringify(rest)
    return rest[0]!.event === null ? null : JSON.stringify(rest[0]!.event)
  } catch {
    // A dead letter that is no JSON.
    return person.index && text.includes(person.index) ? text.replaceAll(person.index, erasedText) : undefined
  }
}

/** A relay that is publishing the row holds it until it is done. */
async function replace(db: Queries, { name, column }: Table, id: string, text: string | null): Promise<void> {
  if (text === null) await db.runLong(`delete from ${name} where id = $1`, [id])
  else await db.runLong(`update ${name} set ${column} = $2 where id = $1`, [id, text])
}

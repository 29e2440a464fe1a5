import { readMessage } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import { type Expression, sql } from 'kysely'
import { cast } from '../cast.ts'
import { column } from '../columns.ts'
import type { Queries } from '../open.ts'
import { build } from '../shared-tables.ts'
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

/** The two tables name the column of their events differently, and only letters may hold one payload. */
const readers = {
  outbox: ({ runLong }: Queries, after: string) =>
    runLong(
      build
        .selectFrom('outbox')
        .select(({ ref }) => [
          'id',
          'subject',
          cast(column.boolean(), sql`false`).as('single'),
          ofNaming(ref('events')).as('text'),
        ])
        .where('id', '>', after)
        .orderBy('id')
        .limit(pageSize),
    ),
  dead_letters: ({ runLong }: Queries, after: string) =>
    runLong(
      build
        .selectFrom('dead_letters')
        .select(({ ref }) => [
          'id',
          'subject',
          cast(column.boolean(), sql`not whole_message`).as('single'),
          ofNaming(ref('event')).as('text'),
        ])
        .where('id', '>', after)
        .orderBy('id')
        .limit(pageSize),
    ),
}

/** The text of a row if its subject may name a person, else null. */
const ofNaming = (text: Expression<string>) =>
  cast(column.text().nullable(), sql`case when subject like any(${namingPatterns}::text[]) then ${text} end`)

type Table = keyof typeof readers
const tables: readonly Table[] = ['outbox', 'dead_letters']

/** Erases events in the outbox and the dead letters. Events of other persons in the same message stay unchanged. */
export function eventCopies(keyRing: KeyRing | undefined): Erasure[] {
  return tables.map((table) =>
    walkErasure(table, async (db, person, erase) => {
      let [found, unreadable] = [0, 0]
      for await (const copy of copiesOf(db, table)) {
        const { text, isUnreadable } = erasedCopy(copy, person, keyRing)
        if (isUnreadable) unreadable++
        if (text === undefined) continue
        found++
        if (erase) await replace(db, table, copy.id, text)
      }
      return { found, left: 0, unreadable }
    }),
  )
}

async function* copiesOf(db: Queries, table: Table): AsyncGenerator<Copy> {
  for (let after = beginning; ; ) {
    const rows = await readers[table](db, after)
    if (rows.length === 0) return
    for (const { text, ...row } of rows) if (text !== null) yield { ...row, text }
    after = rows.at(-1)!.id
  }
}

interface Erased {
  /** Without the person; null when nothing is left of it; undefined when it is not known to name them. */
  text: string | null | undefined
  isUnreadable: boolean
}

function erasedCopy({ subject, text, single }: Copy, person: Person, keyRing: KeyRing | undefined): Erased {
  const contract = namingEventOf(subject)
  if (!contract) return { text: undefined, isUnreadable: false }
  try {
    const wires = single ? [{ event: JSON.parse(text) as unknown }] : readMessage(text)
    const { rest, isUnreadable } = withoutPerson(wires, { person, contract, keyRing })
    if (!rest) return { text: undefined, isUnreadable }
    const left = single ? rest[0]!.event : rest
    return { text: left === null ? null : JSON.stringify(left), isUnreadable }
  } catch {
    // A dead letter that is not JSON.
    const names = person.index !== undefined && text.includes(person.index)
    return { text: names ? text.replaceAll(person.index!, erasedText) : undefined, isUnreadable: false }
  }
}

/** Waits for a relay that is publishing the row and has locked it. */
async function replace(db: Queries, table: Table, id: string, text: string | null): Promise<void> {
  if (text === null) await db.runLong(build.deleteFrom(table).where('id', '=', id))
  else if (table === 'outbox') await db.runLong(build.updateTable('outbox').set({ events: text }).where('id', '=', id))
  else await db.runLong(build.updateTable('dead_letters').set({ event: text }).where('id', '=', id))
}

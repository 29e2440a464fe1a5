import type { Queries } from '../open.ts'
import { type Erasure, erasedText, type Person } from './erase-recipient.ts'

/** Rows read at a time. */
const pageSize = 2000

const copies = {
  outbox: { column: 'events', key: 'id', first: '00000000-0000-0000-0000-000000000000' },
  dead_letters: { column: 'event', key: 'id', first: '00000000-0000-0000-0000-000000000000' },
}

/** The blind index in stored events, which name several recipients each: only the one is replaced. */
export function eventCopies(...tables: (keyof typeof copies)[]): Erasure[] {
  return tables.map((table) => ({
    name: table,
    count: (db, person) => walk(db, table, person, false),
    erase: (db, person) => walk(db, table, person, true),
  }))
}

async function walk(db: Queries, table: keyof typeof copies, { index }: Person, replace: boolean): Promise<number> {
  const { column, key, first } = copies[table]
  const change = replace
    ? `update ${table} set ${column} = replace(${column}, $2, '${erasedText}')
       where ${key} = any(array(select ${key} from page where found)) returning 1`
    : 'select 1 from page where found'
  let after: string | null = first
  let total = 0
  while (after !== null) {
    const [row]: { count: number; last: string | null }[] = await db.runLong(
      `with page as (
         select ${key}, strpos(${column}, $2) > 0 as found from ${table} where ${key} > $1 order by ${key} limit ${pageSize}
       ), changed as (${change})
       select (select count(*)::int from changed) as count, (select ${key} from page order by ${key} desc limit 1) as last`,
      [after, index],
    )
    total += row!.count
    after = row!.last
  }
  return total
}

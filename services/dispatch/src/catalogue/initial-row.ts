import { sql } from 'kysely'

/** Of an upsert: whether the row would change, so that a start with the same document writes nothing. */
export function differs(table: string, columns: readonly string[]) {
  const row = (of: string) => sql`row(${sql.join(columns.map((name) => sql.ref(`${of}.${name}`)))})`
  return sql<boolean>`${row(table)} is distinct from ${row('excluded')}`
}

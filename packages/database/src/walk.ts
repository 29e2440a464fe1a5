import { sql } from 'kysely'
import type { Migrations } from './migrations/migration.ts'
import type { Queries } from './open.ts'
import { build } from './shared-tables.ts'

/** Table of the positions of a service's periodic walks. */
export const walkTables: Migrations = [
  {
    name: 'walk-0001',
    transaction: [
      `create table walks (
         name text primary key,
         reached text not null,
         next_at timestamptz not null default now()
       )`,
    ],
  },
]

/** Lease of a page. */
const leaseSeconds = 30

/** Claims the next page of a walk for this replica. @returns the start of the page; `undefined` if none is due */
export async function takePage(db: Queries, walk: string): Promise<string | undefined> {
  const next_at = inSeconds(leaseSeconds)
  const [taken] = await db.run(
    build
      .insertInto('walks')
      .values({ name: walk, reached: '', next_at })
      .onConflict((on) => on.column('name').doUpdateSet({ next_at }).where('walks.next_at', '<=', sql<Date>`now()`))
      .returning('reached'),
  )
  return taken?.reached
}

/** Records the position of a walk, and the delay until it continues. */
export async function endPage(db: Queries, walk: string, reached: string, nextInMs: number): Promise<void> {
  const next = { reached, next_at: inSeconds(nextInMs / 1000) }
  await db.run(build.updateTable('walks').set(next).where('name', '=', walk))
}

const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

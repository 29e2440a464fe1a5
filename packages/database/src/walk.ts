import type { Migrations } from './migrations/migration.ts'
import type { Queries } from './open.ts'

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

/** Claims the next page of a walk for this replica. @returns its start; `undefined` when none is due */
export async function takePage(db: Queries, walk: string): Promise<string | undefined> {
  await db.run(`insert into walks (name, reached) values ($1, '') on conflict do nothing`, [walk])
  const [taken] = await db.run<{ reached: string }>(
    `update walks set next_at = now() + make_interval(secs => $2) where name = $1 and next_at <= now() returning reached`,
    [walk, leaseSeconds],
  )
  return taken?.reached
}

/** Records the position of a walk, and the delay until it continues. */
export async function endPage(db: Queries, walk: string, reached: string, nextInMs: number): Promise<void> {
  await db.run(`update walks set reached = $2, next_at = now() + make_interval(secs => $3) where name = $1`, [
    walk,
    reached,
    nextInMs / 1000,
  ])
}

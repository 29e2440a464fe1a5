import type { Migrations } from './migrations/migration.ts'
import type { Queries } from './open.ts'

/** Table of how far a service's periodic walks through its rows have come. */
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

/** Whoever took a page and does not come back leaves it to others after this. */
const leaseSeconds = 30

/** Takes the next page of a walk for this replica alone. @returns where it begins; `undefined` when none is due */
export async function takePage(db: Queries, walk: string): Promise<string | undefined> {
  await db.run(`insert into walks (name, reached) values ($1, '') on conflict do nothing`, [walk])
  const [taken] = await db.run<{ reached: string }>(
    `update walks set next_at = now() + make_interval(secs => $2) where name = $1 and next_at <= now() returning reached`,
    [walk, leaseSeconds],
  )
  return taken?.reached
}

/** Notes how far a walk has come, and in how many milliseconds it goes on. */
export async function endPage(db: Queries, walk: string, reached: string, nextInMs: number): Promise<void> {
  await db.run(`update walks set reached = $2, next_at = now() + make_interval(secs => $3) where name = $1`, [
    walk,
    reached,
    nextInMs / 1000,
  ])
}

import type { DeadLetter, DeadLetterStore, DueLetter } from '@notify/messaging'
import type { Kit } from '@notify/service-kit'
import { sql } from 'kysely'
import { cast } from '../cast.ts'
import { column, pick } from '../columns.ts'
import type { Queries } from '../open.ts'
import { build, sharedTables } from '../shared-tables.ts'
import { defineStatement } from '../statement.ts'
import { claimDueLetters, lettersDueInMs } from './claim-due-letters.ts'
import { firstWaitSeconds, noteFailed } from './note-failed.ts'

const settledKeptDays = 30
const deletedAtOnce = 1000

/** The dead letters in a service's own schema, and their metric. */
export function createDeadLetterStore(kit: Pick<Kit, 'metrics'>, db: Queries): DeadLetterStore {
  kit.metrics.gauge('dead_letters', 'Events that wait for a retry or are dead, by durable and state', () => count(db))
  return {
    keep: (letter) => keep(db, letter),
    dueInMs: (durables) => lettersDueInMs(db, durables),
    claimDue: (durables) => claimDueLetters(db, durables),
    handled: (letter) => noteHandled(db, letter),
    failed: (letter, kind, reason) => noteFailed(db, letter, kind, reason),
    deleteSettled: () => deleteSettled(db),
  }
}

async function keep({ run }: Queries, letter: DeadLetter): Promise<void> {
  const {
    durable,
    owner,
    eventId,
    subject,
    event,
    wholeMessage = false,
    traceparent = null,
    reason,
    retryUntil,
  } = letter
  const isWaiting = retryUntil !== undefined
  const values = {
    ...{ durable, owner, event_id: eventId, subject, event, whole_message: wholeMessage, traceparent, reason },
    ...(isWaiting ? { retry_until: retryUntil } : {}),
    state: isWaiting ? ('waiting' as const) : ('dead' as const),
    next_try_at: isWaiting ? sql<Date>`now() + make_interval(secs => ${firstWaitSeconds})` : null,
  }
  await run(
    build
      .insertInto('dead_letters')
      .values(values)
      .onConflict((on) => on.doNothing()),
  )
}

/** Keeps a replayed letter as a record, and deletes one that only waited. */
async function noteHandled({ run }: Queries, { id }: DueLetter): Promise<void> {
  const replayed = { state: 'replayed' as const, next_try_at: null, updated_at: sql<Date>`now()` }
  await run(
    build
      .with('replayed', () =>
        build
          .updateTable('dead_letters')
          .set(replayed)
          .where('id', '=', id)
          .where('state', '=', 'replaying')
          .returning('id'),
      )
      .deleteFrom('dead_letters')
      .where('id', '=', id)
      .where('state', '=', 'waiting'),
  )
}

const deleteOldest = defineStatement({
  name: 'delete-settled-letters',
  isPrepared: false,
  text: `
    delete from dead_letters where id = any(array(
      select id from dead_letters
      where state in ('replayed', 'discarded') and updated_at < now() - interval '${settledKeptDays} days'
      order by updated_at limit ${deletedAtOnce} for update skip locked))
    returning id`,
  columns: pick(sharedTables.dead_letters, 'id'),
})

/** Deletes letters that were settled 30 days ago. @returns whether there may be more */
async function deleteSettled(db: Queries): Promise<boolean> {
  return (await db.runLong(deleteOldest)).length === deletedAtOnce
}

async function count({ run }: Queries): Promise<{ value: number; attributes: { durable: string; state: string } }[]> {
  const counts = await run(
    build
      .selectFrom('dead_letters')
      .select(['durable', 'state', cast(column.integer(), sql`count(*)`).as('value')])
      .where('state', 'in', ['waiting', 'dead', 'replaying'])
      .groupBy(['state', 'durable']),
  )
  return counts.map(({ value, ...attributes }) => ({ value, attributes }))
}

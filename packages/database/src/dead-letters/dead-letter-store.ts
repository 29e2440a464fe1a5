import type { DeadLetter, DeadLetterStore, DueLetter, FailedTry } from '@notify/messaging'
import type { Kit } from '@notify/service-kit'
import { claimDueSql } from '../claim-due.ts'
import type { Queries } from '../open.ts'

const claimedAtOnce = 100
/** Lease of a claimed letter. */
const claimMs = 60_000
const firstWaitSeconds = 5
const longestWaitSeconds = 60
const settledKeptDays = 30
const deletedAtOnce = 1000

/** The delay doubles with each try. */
const nextTry = `now() + make_interval(secs => least(${longestWaitSeconds}, ${firstWaitSeconds} * 2 ^ least(tries - 1, 10)))`

/** The dead letters in a service's own schema, and their metric. */
export function createDeadLetterStore(kit: Pick<Kit, 'metrics'>, db: Queries): DeadLetterStore {
  kit.metrics.gauge('dead_letters', 'Events that wait to be read or are dead, by durable and state', () => count(db))
  return {
    keep: (letter) => keep(db, letter),
    claimDue: (durables) => claimDue(db, durables),
    handled: (letter) => noteHandled(db, letter),
    failed: (letter, kind, reason) => noteFailed(db, letter, kind, reason),
    deleteSettled: () => deleteSettled(db),
  }
}

async function keep({ run }: Queries, letter: DeadLetter): Promise<void> {
  const { durable, eventId, subject, event, wholeMessage = false, traceparent = null, reason, retryUntil } = letter
  await run(
    {
      name: 'keep-dead-letter',
      text: `insert into dead_letters
               (durable, event_id, subject, event, whole_message, traceparent, reason, retry_until, state, next_try_at)
             select $1, $2, $3, $4, $5, $6, $7, coalesce($8::timestamptz, now()),
               case when $8::timestamptz is null then 'dead' else 'waiting' end,
               case when $8::timestamptz is not null then now() + make_interval(secs => ${firstWaitSeconds}) end
             on conflict do nothing`,
    },
    [durable, eventId, subject, event, wholeMessage, traceparent, reason, retryUntil ?? null],
  )
}

const dueLetters = {
  table: 'dead_letters',
  key: ['id'],
  due: 'next_try_at',
  where: 'durable = any($1)',
  set: 'tries = tries + 1',
}

function claimDue({ run }: Queries, durables: readonly string[]): Promise<DueLetter[]> {
  return run<DueLetter>(
    {
      name: 'claim-due-letters',
      text: `${claimDueSql(dueLetters, { limit: claimedAtOnce, leaseMs: claimMs })}
             select id, durable, event_id as "eventId", subject, event, whole_message as "wholeMessage", traceparent,
               reason, retry_until as "retryUntil"
             from claimed`,
    },
    [durables],
  )
}

/** Replayed letters are kept as a record; those that only waited are deleted. */
async function noteHandled({ run }: Queries, { id }: DueLetter): Promise<void> {
  await run(
    `with replayed as (
       update dead_letters set state = 'replayed', next_try_at = null, updated_at = now()
       where id = $1 and state = 'replaying' returning id)
     delete from dead_letters where id = $1 and state = 'waiting'`,
    [id],
  )
}

/** Letters that were settled 30 days ago. */
async function deleteSettled(db: Queries): Promise<boolean> {
  const deleted = await db.runLong(
    `delete from dead_letters where id = any(array(
       select id from dead_letters
       where state in ('replayed', 'discarded') and updated_at < now() - interval '${settledKeptDays} days'
       order by updated_at limit ${deletedAtOnce} for update skip locked))
     returning 1`,
  )
  return deleted.length === deletedAtOnce
}

/** Age is fatal only for unreadable events: a database outage of a day is no reason to give up an event. */
async function noteFailed(
  { run }: Queries,
  { id }: DueLetter,
  kind: FailedTry,
  reason: string,
): Promise<'waiting' | 'dead'> {
  const [after] = await run<{ dead: boolean }>(
    `with tried as (
       select id, $2 = 'permanent' or $2 = 'unreadable' and (state = 'replaying' or retry_until <= now()) as dead
       from dead_letters where id = $1 and state in ('waiting', 'replaying') for update)
     update dead_letters letter
     set state = case when dead then 'dead' else state end, reason = $3, updated_at = now(),
       next_try_at = case when not dead then ${nextTry} end
     from tried where letter.id = tried.id
     returning dead`,
    [id, kind, reason],
  )
  return after?.dead ? 'dead' : 'waiting'
}

async function count({ run }: Queries): Promise<{ value: number; attributes: { durable: string; state: string } }[]> {
  const counts = await run<{ durable: string; state: string; value: number }>(
    `select durable, state, count(*)::int as value from dead_letters
     where state in ('waiting', 'dead', 'replaying') group by state, durable`,
  )
  return counts.map(({ value, ...attributes }) => ({ value, attributes }))
}

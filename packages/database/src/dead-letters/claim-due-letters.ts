import type { DueLetter } from '@notify/messaging'
import { claimDueSql, dueInColumns, dueInSql } from '../claim-due.ts'
import { pick } from '../columns.ts'
import type { Queries } from '../open.ts'
import { sharedTables } from '../shared-tables.ts'
import { defineStatement } from '../statement.ts'

const claimedAtOnce = 100
/** Of each owner: letters that one tenant replays do not delay those of another. */
const claimedPerOwner = 10
/** Lease of a claimed letter. */
const claimMs = 60_000

const dueLetters = {
  table: 'dead_letters',
  key: ['id'],
  due: 'next_try_at',
  where: 'durable = any($1)',
  set: 'tries = tries + 1',
  fair: { by: 'owner', most: claimedPerOwner },
}

const columns = sharedTables.dead_letters

const claim = defineStatement({
  name: 'claim-due-letters',
  text: `${claimDueSql(dueLetters, { limit: claimedAtOnce, leaseMs: claimMs })}
         select id, durable, owner, event_id as "eventId", subject, event, whole_message as "wholeMessage", traceparent,
           reason, retry_until as "retryUntil"
         from claimed`,
  columns: {
    ...pick(columns, 'id', 'durable', 'owner', 'subject', 'event', 'traceparent', 'reason'),
    eventId: columns.event_id,
    wholeMessage: columns.whole_message,
    retryUntil: columns.retry_until,
  },
})

const look = defineStatement({ name: 'look-due-letters', text: dueInSql(dueLetters), columns: dueInColumns })

/** Milliseconds until a letter of these durables is due. */
export async function lettersDueInMs({ run }: Queries, durables: readonly string[]): Promise<number> {
  const [row] = await run(look, [durables])
  return row!.due_in_ms
}

/** Claims letters of these durables that are due; a claim ends after its lease. */
export function claimDueLetters({ run }: Queries, durables: readonly string[]): Promise<DueLetter[]> {
  return run(claim, [durables])
}

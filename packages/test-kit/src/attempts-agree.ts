import { expect } from '@jest/globals'
import type { TestEnv } from '@notify/dev-env'

const columns = 'id, lane, channel, status, settled, enqueued_at, next_attempt_at, expires_at, created_at'
const open = `select ${columns} from notifications where not settled or (expires_at is not null and payload is not null)`
const followed = `select ${columns} from in_flight`

/** In one snapshot: each message that is sent now has one open attempt, and what is open is in flight with its own values. */
const disagreements = `
  select 'sending without an open attempt' as fault, n.id from notifications n where sending and not exists (
    select from attempts a where a.notification_id = n.id and a.number = n.attempt_count and a.finished_at is null)
  union all
  select 'an open attempt of what is not being sent', a.notification_id
  from attempts a left join notifications n on n.id = a.notification_id
  where a.finished_at is null and (n.sending is not true or n.attempt_count <> a.number)
  union all
  select 'open, and not in flight as it is', id from (${open} except ${followed}) as missing
  union all
  select 'in flight, and not open as it is', id from (${followed} except ${open}) as left_over
  limit 20`

/**
 * Expects that dispatch's notifications, attempts and rows in flight agree. Each statement changes all three, so this holds at every
 * moment, whatever was killed.
 * @param run runs a query in the schema of dispatch
 */
export async function attemptsAgree(run: (text: string) => Promise<unknown[]>): Promise<void> {
  expect(await run(disagreements)).toEqual([])
}

/** {@link attemptsAgree} in the database of a stack. */
export const attemptsAgreeIn = (env: TestEnv) =>
  attemptsAgree(async (text) => (await env.sql('dispatch').query(text)).rows)

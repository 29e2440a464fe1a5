import { expect, test } from '@jest/globals'
import { countRowsRead } from '@notify/test-kit/database'
import { channels } from '../src/channels/registry.ts'
import { scheduleBatch } from '../src/deliver/schedule/open-sql.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import { db } from './own-schema.ts'

const backlog = 10_000

/** Scheduled messages of a tenant that became due this many seconds ago. */
const addDue = (tenant: string, { count, lane, dueAgo }: { count: number; lane: string; dueAgo: number }) =>
  db.runLong(
    `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits, payload,
       status, send_at, next_attempt_at)
     select 'notif_' || gen_random_uuid(), $1, 'app of ' || $1, 'sms', $3, 'live', '+1***', 'index ' || i, 1, '', 'scheduled', due, due
     from generate_series(1, $2::int) as i, (select now() - make_interval(secs => $4)) as at (due)`,
    [tenant, count, lane, dueAgo],
  )

test(`${backlog} messages of a tenant that are due at once delay neither those of another nor its own codes`, async () => {
  await takeDueNotifications(db, channels)
  await addDue('busy', { count: backlog, lane: 'bulk', dueAgo: 60 })
  await addDue('busy', { count: backlog, lane: 'transactional', dueAgo: -3600 })
  await addDue('busy', { count: 1, lane: 'otp', dueAgo: 2 })
  await addDue('neighbour', { count: 1, lane: 'transactional', dueAgo: 1 })
  await db.run('analyze in_flight')
  let taken: Awaited<ReturnType<typeof takeDueNotifications>> = []
  const read = await countRowsRead(db, ['in_flight'], async (on) => (taken = await takeDueNotifications(on, channels)))
  expect(read).toBeLessThan(4 * scheduleBatch)
  const counts = taken.map(({ tenant_id, lane, count }) => `${tenant_id} ${lane} ${count}`).toSorted()
  expect(counts).toEqual(['busy bulk 166', 'busy otp 1', 'neighbour transactional 1'])
})

test('a tenant alone has the whole batch', async () => {
  const [taken, ...others] = await takeDueNotifications(db, channels)
  expect(taken).toMatchObject({ tenant_id: 'busy', lane: 'bulk', count: scheduleBatch })
  expect(others).toEqual([])
})

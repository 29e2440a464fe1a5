import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type NotificationFact, newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'

const fixtures = join(import.meta.dirname, '../../../packages/contracts/fixtures/0.1.0/events.json')
const { samples } = JSON.parse(readFileSync(fixtures, 'utf8')).events.notificationChanged as {
  samples: NotificationFact[]
}

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch'], {
    env: { gateway: { RECONCILE_INTERVAL: '500ms', RECONCILE_AFTER: '0s' } },
  })
})
afterAll(() => env?.stop())

/** Leaves a message in dispatch's outbox, as a release committed it. */
async function leaveInOutbox(subject: string, fact: object): Promise<void> {
  const events = JSON.stringify([{ event: fact }])
  await env.sql('dispatch').query('insert into outbox (subject, events) values ($1, $2)', [subject, events])
}

const shown = async (ids: readonly string[]) =>
  (await env.sql('gateway').query('select id from activity where id = any ($1)', [ids])).rows.map(({ id }) => id).sort()

test('the facts that release 0.1 left in the outbox reach the activity', async () => {
  const facts = samples.map((fact) => ({ ...fact, notification_id: newId('notif') }))
  for (const fact of facts) await leaveInOutbox(`dispatch.notification.${fact.status}`, fact)
  const ids = facts.map(({ notification_id }) => notification_id).sort()
  expect(new Set(facts.map(({ status }) => status)).size).toBe(7)
  await eventually(async () => expect(await shown(ids)).toEqual(ids))
})

test('the facts of both lanes reach the activity, those of codes do not: neither over the bus nor when compared', async () => {
  const [first] = samples
  const lanes = ['otp', 'transactional', 'bulk'] as const
  const facts = lanes.map((lane) => ({ ...first, lane, notification_id: newId('notif') }))
  for (const fact of facts) await leaveInOutbox(`dispatch.notification.${fact.lane}.sms.queued`, fact)
  const [code, ...others] = facts.map(({ notification_id }) => notification_id)
  await eventually(async () => expect(await shown(others)).toEqual(others.toSorted()))
  // A later notification that only the comparison finds, after it has seen the code.
  const missed = newId('notif')
  for (const [id, lane] of [
    [code, 'otp'],
    [missed, 'bulk'],
  ]) {
    await env.sql('dispatch').query(
      `insert into notifications (id, tenant_id, application_id, channel, lane, mode, status, recipient_masked,
         recipient_index, payload, credits) values ($1, $2, $3, 'sms', $4, 'live', 'delivered', '+1***', 'index', '', 1)`,
      [id, env.tenantId, newId('app'), lane],
    )
  }
  await eventually(async () => expect(await shown([missed])).toEqual([missed]))
  expect(await shown([code!])).toEqual([])
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { earliestId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    env: { all: { LOG_LEVEL: 'warn' }, gateway: { RECONCILE_INTERVAL: '500ms', RECONCILE_AFTER: '1s' } },
  })
})
afterAll(() => env?.stop())

const told = 'id, revision, status'
const owned = async () => (await env.sql('dispatch').query(`select ${told} from notifications order by id`)).rows
const shown = async () => (await env.sql('gateway').query(`select ${told} from activity order by id`)).rows
const totals = `select status, count::int from activity_totals where event_key = '' and count <> 0 order by 1`
const counts = async () => (await env.sql('gateway').query(totals)).rows

test('facts that never came over the bus are asked of their owner, whole or newer ones, and counted once', async () => {
  const requests = Array.from({ length: 30 }, () => ({ channel: 'sms', recipient: '+15550000011', body: 'message' }))
  await env.api('POST', '/api/v1/notifications/batch', { body: { requests } })
  const delivered = [{ status: 'delivered', count: 30 }]
  await eventually(async () => expect(await counts()).toEqual(delivered))
  const ids = (await owned()).map(({ id }) => id)
  const database = await env.sql('gateway').connect()
  try {
    // One transaction: the comparison repairs nothing before it is counted.
    await database.query('begin')
    await database.query('delete from activity where id = any($1)', [ids.slice(0, 10)])
    await database.query(`update activity set revision = 1, status = 'queued' where id = any($1)`, [ids.slice(10, 15)])
    expect((await database.query(totals)).rows).toEqual([
      { status: 'delivered', count: 15 },
      { status: 'queued', count: 5 },
    ])
    await database.query('commit')
  } finally {
    database.release(true)
  }
  await eventually(async () => expect(await shown()).toEqual(await owned()))
  expect(await counts()).toEqual(delivered)
})

test('a change of a message that was scheduled 30 days ahead and settled days later is found too, of one that the retention has deleted it is not', async () => {
  const { body } = await env.api('POST', '/api/v1/notifications', {
    body: { channel: 'sms', recipient: '+15550000011', body: 'message' },
  })
  const id: string = body.notification_id
  await eventually(async () => expect(await shown()).toContainEqual({ id, revision: 3, status: 'delivered' }))
  const [recent, old] = [34, 40].map((days) => earliestId('notif', Date.now() - days * 24 * 3_600_000))
  const [dispatch, gateway] = [env.sql('dispatch'), env.sql('gateway')]
  const walkAgain = () =>
    gateway.query(
      `update walks set reached = '', next_at = now() where name = 'older activity' and next_at > now() + interval '1 hour'`,
    )
  await dispatch.query('update notifications set id = $2 where id = $1', [id, recent])
  // A change counts as lost only once it is a second old.
  await eventually(async () => {
    await walkAgain()
    expect(await shown()).toContainEqual({ id: recent, revision: 3, status: 'delivered' })
  })
  await dispatch.query('update notifications set id = $2 where id = $1', [recent, old])
  for (let round = 0; round < 2; round++) await eventually(async () => expect((await walkAgain()).rowCount).toBe(1))
  expect((await shown()).map((row) => row.id)).not.toContain(old)
})

test('dispatch gives facts of all tenants only to the gateway', async () => {
  const body = { after: '', until: 'notif_z', quiet_seconds: 0, lanes: [], known: {} }
  const { status } = await env.call('dispatch-api', 'POST', '/internal/v1/notifications/compare', { body })
  expect(status).toBe(401)
})

import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { openBus, untilQuiet } from '@notify/test-kit/bus'
import { call, create, env, of, twilio } from './stack.ts'

test('a provider of the bootstrap document that an operator has changed or deleted stays so over a restart', async () => {
  const { meta_own_provider_id: id, meta_provider_id: deleted } = env.stack.state
  await call('PATCH', of(id), { body: { name: 'Renamed', priority: 7 } })
  await call('DELETE', of(deleted))
  await env.restart('dispatch-api')
  expect((await call('GET', of(id))).body).toMatchObject({ name: 'Renamed', priority: 7 })
  expectProblem(await call('GET', of(deleted)), 404, 'not_found')
})

test('long after its deletion a provider’s credentials are erased, and its callbacks are not verified any more', async () => {
  const made = await create(twilio())
  await eventually(async () => {
    const { rows } = await env.admin.query('select from callbacks.providers where id = $1', [made.provider_id])
    expect(rows).toHaveLength(1)
  })
  await call('DELETE', of(made.provider_id))
  await env.admin.query(`update dispatch.providers set deleted_at = now() - interval '8 days' where id = $1`, [
    made.provider_id,
  ])
  await env.restart('dispatch-worker')
  const kept = async () => {
    const { rows } = await env.admin.query(
      'select account_id, credentials, verify_token, sender from callbacks.providers where id = $1',
      [made.provider_id],
    )
    return rows
  }
  const nothing = [{ account_id: null, credentials: null, verify_token: null, sender: null }]
  await eventually(async () => expect(await kept()).toEqual(nothing))
  // As after a power cut of the broker: the changes from before are published again.
  const { rowCount } = await env.admin.query(
    `update dispatch.outbox set published_at = null where subject = 'dispatch.provider.changed'`,
  )
  expect(rowCount).toBeGreaterThan(1)
  await eventually(async () => {
    const { rows } = await env.admin.query('select from dispatch.outbox where published_at is null')
    expect(rows).toHaveLength(0)
  })
  await using bus = await openBus(env)
  await untilQuiet(bus)
  expect(await kept()).toEqual(nothing)
})

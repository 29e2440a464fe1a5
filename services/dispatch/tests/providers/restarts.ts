import { expect, test } from '@jest/globals'
import { expectProblem } from '@notify/test-kit/sms'
import { eventually } from '../../../../packages/dev-env/src/index.ts'
import { call, create, env, of, twilio } from './stack.ts'

test('a provider of the bootstrap document that an operator has changed or deleted stays so over a restart', async () => {
  const { meta_own_provider_id: id, meta_provider_id: deleted } = env.stack.state
  await call('PATCH', of(id), { body: { name: 'Renamed', priority: 7 } })
  await call('DELETE', of(deleted))
  await env.restart('dispatch-api')
  expect((await call('GET', of(id))).body).toMatchObject({ name: 'Renamed', priority: 7 })
  expectProblem(await call('GET', of(deleted)), 404, 'not_found')
}, 60_000)

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
  await eventually(async () => {
    const { rows } = await env.admin.query('select from callbacks.providers where id = $1', [made.provider_id])
    expect(rows).toHaveLength(0)
  })
}, 60_000)

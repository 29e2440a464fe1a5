import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { addApplication, addBareTenant, operatorToken } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { add, addEvent, anHour, digestsOf, env, fresh, operator, untilTexts } from './stack.ts'

const pathOf = (application = env.applicationId) => `/applications/${application}/digests`

test('operators see the digests that are not sent yet, page by page, with the number of their items', async () => {
  const event_key = await addEvent(anHour)
  const phones = [freshPhone(), freshPhone(), freshPhone()]
  for (const phone of phones) await add(event_key, phone, 'Ada', { priority: 'bulk' })
  await add(event_key, phones[2]!, 'Bob', { priority: 'bulk' })
  const cancelled = await add(event_key, freshPhone(), 'Cy')
  await env.api('POST', `/api/v1/notifications/${cancelled}/cancel`)
  const first = (await operator('GET', `${pathOf()}?event_key=${event_key}&limit=2`)).body
  expect(first.items).toMatchObject([
    {
      ...{ event_key, mode: 'live', channel: 'sms', priority: 'bulk', items: 2 },
      recipient_masked: expect.stringMatching(/^\+1\d*\*+0100$/),
      closes_at: expect.stringMatching(/Z$/),
    },
    { items: 1 },
  ])
  const rest = (await operator('GET', `${pathOf()}?event_key=${event_key}&limit=2&cursor=${first.next_cursor}`)).body
  expect([rest.items.length, rest.next_cursor]).toEqual([1, null])
  expectProblem(await operator('GET', `${pathOf()}?limit=0`), 422, 'validation_failed')
})

test('a digest that an operator closes is sent at once, and the audit log says so', async () => {
  const { event_key, phone } = await fresh()
  await add(event_key, phone, 'Ada')
  const [{ id }] = await digestsOf(event_key)
  const close = `${pathOf()}/${id}/close`
  const reader = operatorToken(env, { permissions: ['activity:read'] })
  expectProblem(await env.api('POST', `/api/v1${close}`, { token: reader }), 403, 'permission_denied')
  const answer = await operator('POST', close)
  expect([answer.status, answer.body]).toMatchObject([200, { digest_id: id, items: 1 }])
  await untilTexts(phone, ['Ada: 1, Ada and 0 more'])
  await eventually(async () => expectProblem(await operator('POST', close), 404, 'not_found'))
  await eventually(async () => {
    const { body } = await operator('GET', '/audit-log?limit=20')
    const entries = body.items.filter((one: { action: string }) => one.action === 'digest.closed')
    expect(entries).toMatchObject([{ resource: { id } }])
  })
})

test('an item that joins after an operator closed the digest does not delay it', async () => {
  const { event_key, phone } = await fresh()
  await add(event_key, phone, 'Ada')
  const [{ id }] = await digestsOf(event_key)
  await env.kill('dispatch-worker', 'SIGSTOP')
  try {
    expect((await operator('POST', `${pathOf()}/${id}/close`)).status).toBe(200)
    await add(event_key, phone, 'Bob')
    const [{ joined, due_at }] = await digestsOf(event_key)
    expect([joined, due_at < new Date()]).toEqual([2, true])
  } finally {
    await env.kill('dispatch-worker', 'SIGCONT')
  }
  await untilTexts(phone, ['Bob: 2, Ada, Bob and 0 more'])
})

test('digests of another application or tenant are not found', async () => {
  const { event_key, phone } = await fresh()
  await add(event_key, phone, 'Ada')
  const [{ id }] = await digestsOf(event_key)
  const other = await addApplication(env)
  expect((await operator('GET', pathOf(other.applicationId))).body.items).toEqual([])
  expectProblem(await operator('POST', `${pathOf(other.applicationId)}/${id}/close`), 404, 'not_found')
  const { tenantId } = await addBareTenant(env)
  const stranger = operatorToken(env, { tenant_id: tenantId, permissions: ['activity:read', 'activity:retry'] })
  for (const [method, path] of [
    ['GET', pathOf()],
    ['POST', `${pathOf()}/${id}/close`],
  ] as const)
    expectProblem(await env.api(method, `/api/v1${path}`, { token: stranger }), 404, 'not_found')
  expect(await digestsOf(event_key)).toMatchObject([{ is_open: true }])
})

import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post, untilAvailable, untilState } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { call, create, env, of, path, token, twilio, webhook } from './stack.ts'

test('a new provider comes after all others, and takes over when it is put first; deleted, nothing is sent through it', async () => {
  const own = { account_sid: env.stack.state.twilio_account_sid, auth_token: env.stack.state.twilio_auth_token }
  const made = await create(twilio({ credentials: { ...own, from: '+15005550111' } }))
  const senderOf = async () => {
    const phone = freshPhone()
    await post(env, { channel: 'sms', recipient: { phone }, body: 'Hi' })
    return eventually(async () => {
      const [message] = await env.messages({ to: phone })
      expect(message).toBeDefined()
      return message!.from
    })
  }
  expect(await senderOf()).toBe('+15005550006')
  const changed = await call('PATCH', of(made.provider_id), { body: { priority: 0, name: 'First' } })
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { priority: 0, name: 'First', credentials: made.credentials },
  ])
  await eventually(async () => expect(await senderOf()).toBe('+15005550111'))
  // A receipt of what is under way still counts after the deletion.
  const late = await post(env, { channel: 'sms', recipient: { phone: freshPhone() }, body: 'Hi' })
  await call('DELETE', of(made.provider_id))
  await untilState(env, late.body.notification_id, { delivery_status: 'delivered' })
  expectProblem(await call('GET', of(made.provider_id)), 404, 'not_found')
  expectProblem(await call('DELETE', of(made.provider_id)), 404, 'not_found')
  await eventually(async () => expect(await senderOf()).toBe('+15005550006'))
})

test('of changes that are based on one state, one succeeds; a later one names the new state', async () => {
  const { provider_id, updated_at } = await create(twilio())
  const change = (on: string, name: string) =>
    call('PATCH', `${of(provider_id)}?expected_updated_at=${on}`, { body: { name } })
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => untilAvailable(() => change(updated_at, name))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  expectProblem(answers.find(({ status }) => status === 409)!, 409, 'edit_conflict')
  const { body: present } = answers.find(({ status }) => status === 200)!
  expect((await call('GET', of(provider_id))).body).toEqual(present)
  expect((await change(present.updated_at, 'e')).body.name).toBe('e')
  await call('DELETE', of(provider_id))
})

test('with one Idempotency-Key many make one provider, and its secrets are kept encrypted', async () => {
  const headers = { 'idempotency-key': 'provider-1' }
  const make = () => call('POST', path, { body: webhook(), headers })
  const answers = await Promise.all(Array.from({ length: 6 }, () => untilAvailable(make)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  const { rows } = await env.admin.query(`select response from dispatch.idempotency_keys where key = 'provider-1'`)
  expect(Buffer.from(rows[0].response, 'base64').toString() + rows[0].response).not.toContain(answers[0]!.body.secret)
})

test('each change stands in the audit log, and no secret does', async () => {
  const made = await create(twilio())
  await call('PATCH', of(made.provider_id), { body: { credentials: { auth_token: `${token}1111` } } })
  await call('DELETE', of(made.provider_id))
  const entries = await eventually(async () => {
    const { rows } = await env.admin.query(
      'select action, actor_kind, before, after from gateway.audit_log where resource_id = $1 order by id',
      [made.provider_id],
    )
    expect(rows).toHaveLength(3)
    return rows
  })
  expect(entries.map(({ action }) => action)).toEqual(['provider.created', 'provider.changed', 'provider.deleted'])
  expect(entries[1].after).toHaveProperty('credentials')
  expect(JSON.stringify(entries)).not.toContain(token)
})

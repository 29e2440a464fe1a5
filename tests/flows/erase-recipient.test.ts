import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freshUser, sendInApp } from '@notify/test-kit/inbox'
import { createTestKit } from '@notify/test-kit/service-kit'
import { freshPhone, send, stateOf, untilActivity, untilState } from '@notify/test-kit/sms'
import { eventually, TestEnv } from '../../packages/dev-env/src/index.ts'
import { createBlindIndex, parseKey, parseKeyRing } from '../../packages/privacy/src/index.ts'
import { eraseRecipient as consent } from '../../services/consent/src/erasure/erase-recipient.ts'
import { eraseRecipient as dispatch } from '../../services/dispatch/src/erasure/erase-recipient.ts'
import { eraseRecipient as gateway } from '../../services/gateway/src/erasure/erase-recipient.ts'
import { eraseRecipient as inboxStream } from '../../services/inbox-stream/src/erasure/erase-recipient.ts'
import { eraseRecipient as otp } from '../../services/otp/src/erasure/erase-recipient.ts'

const commands = { dispatch, gateway, otp, consent, 'inbox-stream': inboxStream }
type Service = keyof typeof commands

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'otp', 'consent', 'inbox-stream', 'webhook-delivery'])
}, 120_000)
afterAll(() => env?.stop())

interface Line {
  rows: string
  count?: number
  erased?: number
  left?: number
}

/** Runs the command of a service in this process. */
async function run(service: Service, recipient: string, ...args: string[]): Promise<Line[]> {
  const kit = createTestKit(service)
  const { state } = env.stack
  const config = {
    DATABASE_URL: env.stack.databaseUrl(service),
    BLIND_INDEX_KEY: parseKey(state.blind_index_key),
    ENCRYPTION_KEYS: parseKeyRing(state.encryption_keys.map(({ id, key }) => `${id}:${key}`).join(',')),
  }
  const lines: Line[] = []
  const named = ['--tenant', env.tenantId, '--recipient', recipient, ...args]
  await commands[service](config, kit, named, (line) => lines.push(JSON.parse(line))).finally(() => kit.stop())
  return lines
}

async function eraseEverywhere(recipient: string, ...args: string[]): Promise<void> {
  for (const service of Object.keys(commands) as Service[]) await run(service, recipient, ...args, '--erase')
}

const indexOf = (recipient: string) =>
  createBlindIndex(parseKey(env.stack.state.blind_index_key))(env.tenantId, recipient)

/** The tables of all schemas in which a text stands. */
async function tablesWith(...texts: string[]): Promise<string[]> {
  const { rows } = await env.admin.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  )
  const found = []
  for (const { name } of rows) {
    const { rowCount } = await env.admin.query(
      `select 1 from ${name} as one where exists (select from unnest($1::text[]) as word where strpos(one::text, word) > 0)`,
      [texts],
    )
    if (rowCount) found.push(name)
  }
  return found
}

const optIn = (phone_e164: string, fields: object) =>
  env.api('POST', '/api/v1/whatsapp/opt-ins', { body: { phone_e164, source: 'web_form', ...fields } })

test('after erasing a person no schema holds the number or its blind index, and others are as they were', async () => {
  const [theirs, other] = [freshPhone(), freshPhone()]
  const sent = await send(env, theirs, { metadata: { table: '7' } })
  const later = await send(env, theirs, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const kept = await send(env, other, { metadata: { table: '8' } })
  const code = await env.api('POST', '/api/v1/otp/send', { body: { channel: 'sms', recipient: theirs } })
  expect(code.status).toBe(200)
  for (const [phone, evidence] of [
    [theirs, 'a'],
    [other, 'b'],
  ]) {
    expect((await optIn(phone!, { evidence_url: `https://shop.example/opt-ins/${evidence}` })).status).toBe(201)
  }
  await untilActivity(env, sent, { status: 'delivered' })
  await untilActivity(env, kept, { status: 'delivered' })
  await untilActivity(env, later, { status: 'scheduled' })
  expect(await tablesWith(theirs, indexOf(theirs))).toEqual(
    expect.arrayContaining([
      'consent.consent_entries',
      'consent.consents',
      'dispatch.notifications',
      'dispatch.outbox',
      'gateway.activity',
      'otp.messages',
      'otp.transactions',
    ]),
  )
  const others = await tablesWith(indexOf(other))

  expect(await run('dispatch', theirs)).toContainEqual({ rows: 'notifications', count: 3 })
  await eraseEverywhere(theirs)
  await untilActivity(env, later, { status: 'failed', failure_reason: 'recipient_erased', recipient_masked: 'erased' })
  // The fact of the erased notification names nobody.
  await eraseEverywhere(theirs)

  expect(await tablesWith(indexOf(theirs))).toEqual([])
  expect((await tablesWith(theirs)).filter((table) => !table.endsWith('.idempotency_keys'))).toEqual([])
  expect(await tablesWith(indexOf(other))).toEqual(others)
  expect(await stateOf(env, kept)).toMatchObject({ delivery_status: 'delivered', metadata: { table: '8' } })
  await untilState(env, sent, { delivery_status: 'delivered' })
  expect((await stateOf(env, sent)).metadata).toBeFalsy()
  expect((await env.api('GET', `/api/v1/whatsapp/opt-ins/${encodeURIComponent(theirs)}`)).status).toBe(404)
  expect((await env.api('GET', `/api/v1/whatsapp/opt-ins/${encodeURIComponent(other)}`)).body.status).toBe('active')
})

test('a stop stays a stop when the person is erased, unless the operator forgets stops', async () => {
  const phone = freshPhone()
  const suppress = await env.api('POST', '/api/v1/suppressions', {
    token: env.operatorToken,
    body: { channel: 'sms', recipient: phone, reason: 'manual' },
  })
  expect([suppress.status, suppress.text]).toEqual([201, expect.any(String)])
  expect((await optIn(phone, { evidence_url: 'https://shop.example/opt-ins/c' })).status).toBe(201)
  const out = await env.api('POST', '/api/v1/whatsapp/opt-outs', { body: { phone_e164: phone } })
  expect([out.status, out.text]).toEqual([201, expect.any(String)])
  await eraseEverywhere(phone)
  expect(await tablesWith(indexOf(phone))).toEqual(['consent.consents', 'dispatch.suppressions'])
  const refused = await env.api('POST', '/api/v1/notifications', {
    body: { channel: 'sms', recipient: { phone }, body: 'Hello' },
  })
  expect([refused.status, refused.body.code]).toEqual([422, 'recipient_suppressed'])
  await eraseEverywhere(phone, '--forget-stops')
  expect(await tablesWith(indexOf(phone))).toEqual([])
})

test('the inbox of a user is erased, and the ledger refuses every other change', async () => {
  const [user, other] = [freshUser(), freshUser()]
  const ids = [await sendInApp(env, user), await sendInApp(env, other)]
  for (const id of ids) await untilState(env, id, { delivery_status: 'delivered' })
  await eraseEverywhere(user)
  await eventually(async () => {
    const { rows } = await env.admin.query(
      'select notification_id, content is null as empty from inbox_stream.inbox_items where notification_id = any($1) order by 2',
      [ids],
    )
    expect(rows).toEqual([
      { notification_id: ids[1], empty: false },
      { notification_id: ids[0], empty: true },
    ])
  })
  expect(await tablesWith(indexOf(user))).toEqual([])
  expect((await optIn(freshPhone(), { evidence_url: 'https://shop.example/opt-ins/d' })).status).toBe(201)
  for (const change of [
    `set recipient_index = 'erased ' || id, action = 'opt_out'`,
    `set recipient_index = 'someone'`,
  ]) {
    await expect(env.sql('consent').query(`update consent_entries ${change} where action = 'opt_in'`)).rejects.toThrow(
      'append-only',
    )
  }
})

test('erase-recipient asks for the tenant and the recipient', async () => {
  await expect(run('dispatch', '')).rejects.toThrow('use: erase-recipient --tenant <id>')
})

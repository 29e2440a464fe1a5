import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { serviceNames } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { type KeyRing, maskPhone, parseIndexKeys, parseKeyRing } from '@notify/privacy'
import { untilActivity } from '@notify/test-kit/activity'
import { postUntilTaken, stateOf, untilState } from '@notify/test-kit/api'
import { openBus, untilQuiet } from '@notify/test-kit/bus'
import { freshUser, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import { createTestKit } from '@notify/test-kit/kit'
import { pipeCommand } from '@notify/test-kit/processes'
import { freshPhone, send } from '@notify/test-kit/sms'
import { freshPath, subscribe, untilReceived } from '@notify/test-kit/webhooks'
import { optIn, shippedTo, untilTemplates, writeToUs } from '@notify/test-kit/whatsapp'
import { eraseRecipient as callbacks } from '../../services/callbacks/src/erasure/erase-recipient.ts'
import { eraseRecipient as consent } from '../../services/consent/src/erasure/erase-recipient.ts'
import { eraseRecipient as dispatch } from '../../services/dispatch/src/upkeep/erase-recipient.ts'
import { eraseRecipient as gateway } from '../../services/gateway/src/erasure/erase-recipient.ts'
import { eraseRecipient as inboxStream } from '../../services/inbox-stream/src/erasure/erase-recipient.ts'
import { eraseRecipient as otp } from '../../services/otp/src/erasure/erase-recipient.ts'
import { eraseRecipient as webhookDelivery } from '../../services/webhook-delivery/src/erasure/erase-recipient.ts'
import { findPerson, indexOf, keyRingOf, tablesWith } from './find-person.ts'

const commands = {
  dispatch,
  gateway,
  otp,
  consent,
  'inbox-stream': inboxStream,
  callbacks,
  'webhook-delivery': webhookDelivery,
}
type Service = keyof typeof commands

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'otp', 'consent', 'inbox-stream', 'webhook-delivery'])
})
afterAll(() => env?.stop())

interface Line {
  rows: string
  count?: number
  erased?: number
  left?: number
}

/** Runs the command of a service in this process. */
function run(service: Service, recipient: string, ...args: string[]): Promise<Line[]> {
  return runWith(keyRingOf(env), service, recipient, ...args)
}

async function runWith(ring: KeyRing, service: Service, recipient: string, ...args: string[]): Promise<Line[]> {
  const kit = createTestKit(service)
  const config = {
    DATABASE_URL: env.stack.databaseUrl(service),
    NATS_URL: env.stack.wiring.serviceNatsUrl(service),
    ENCRYPTION_KEYS: ring,
  }
  const keys = { BLIND_INDEX_KEY: parseIndexKeys(env.stack.state.blind_index_key) }
  const lines: Line[] = []
  const named = ['--tenant', env.tenantId, '--recipient', recipient, ...args]
  const print = (line: string) => lines.push(JSON.parse(line))
  // Callbacks has no indexes.
  const erasing =
    service === 'callbacks'
      ? callbacks(config, kit, named, print)
      : commands[service]({ ...config, ...keys }, kit, named, print)
  await erasing.finally(() => kit.stop())
  return lines
}

/** The procedure of operations.md: all services, then all again for messages that were in flight. */
async function eraseEverywhere(recipient: string, ...args: string[]): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await using bus = await openBus(env)
    await untilQuiet(bus, serviceNames)
    // A command says to run it again while a message is in use.
    for (const service of Object.keys(commands) as Service[])
      await eventually(() => run(service, recipient, ...args, '--erase', '--all-identifiers'))
  }
}

test('after the erasure of a person nothing contains the number or its blind index, and others are unchanged', async () => {
  const [theirs, other] = [freshPhone(), freshPhone()]
  const path = freshPath('ok')
  await subscribe(env, path, { events: ['notification.delivered'] })
  await untilTemplates(env)
  const sent = await send(env, theirs, { metadata: { table: '7' } })
  const later = await send(env, theirs, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const kept = await send(env, other, { metadata: { table: '8' } })
  const code = await postUntilTaken(env, '/api/v1/otp/send', { channel: 'sms', recipient: theirs })
  expect(code.status).toBe(200)
  for (const [phone, evidence] of [
    [theirs, 'a'],
    [other, 'b'],
  ]) {
    const headers = { 'idempotency-key': `opt-in-${evidence}` }
    const body = { phone_e164: phone, source: 'web_form', evidence_url: `https://shop.example/opt-ins/${evidence}` }
    expect((await env.api('POST', '/api/v1/whatsapp/opt-ins', { body, headers })).status).toBe(201)
  }
  const shipped = await postUntilTaken(env, '/api/v1/notifications', shippedTo(theirs))
  expect([shipped.status, shipped.text]).toEqual([202, expect.any(String)])
  await writeToUs(env, theirs, { body: 'Thanks!' })
  await untilActivity(env, sent, { status: 'delivered' })
  await untilActivity(env, kept, { status: 'delivered' })
  await untilActivity(env, later, { status: 'scheduled' })
  await untilReceived(env, path, 3)
  await eventually(async () =>
    expect(await findPerson(env, theirs)).toEqual(
      expect.arrayContaining([
        'callbacks.outbox, sealed',
        'consent.consent_entries',
        'consent.consents',
        'consent.idempotency_keys, encrypted',
        'dispatch.notifications',
        'dispatch.notifications.payload, encrypted',
        'dispatch.outbox',
        'gateway.activity',
        'otp.messages',
        'otp.transactions',
        'stream callbacks.message.received',
        'stream consent.granted',
        'stream dispatch.notification.transactional.sms.delivered',
        'stream otp.transaction.sent',
        'webhook_delivery.deliveries',
      ]),
    ),
  )
  const others = await findPerson(env, other)

  expect(await run('dispatch', theirs)).toContainEqual({ rows: 'notifications', count: 4 })
  await eraseEverywhere(theirs)
  await untilActivity(env, later, { status: 'failed', failure_reason: 'recipient_erased', recipient_masked: 'erased' })
  expect(await findPerson(env, theirs)).toEqual([])
  expect(await storedBodies()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ notification_id: sent, recipient_masked: 'erased', metadata: null }),
      expect.objectContaining({ notification_id: kept, metadata: { table: '8' } }),
    ]),
  )
  // A message contains events of several people; those of both are erased.
  expect((await findPerson(env, other)).filter((name) => !name.startsWith('stream'))).toEqual(
    others.filter((name) => !name.startsWith('stream')),
  )
  expect(await stateOf(env, kept)).toMatchObject({ delivery_status: 'delivered', metadata: { table: '8' } })
  await untilState(env, sent, { delivery_status: 'delivered' })
  expect((await stateOf(env, sent)).metadata).toBeFalsy()
  expect((await env.api('GET', `/api/v1/whatsapp/opt-ins/${encodeURIComponent(theirs)}`)).status).toBe(404)
  expect((await env.api('GET', `/api/v1/whatsapp/opt-ins/${encodeURIComponent(other)}`)).body.status).toBe('active')
})

/** The bodies of the stored webhooks. */
async function storedBodies(): Promise<Record<string, unknown>[]> {
  const { rows } = await env.admin.query('select tenant_id, id, body from webhook_delivery.deliveries')
  return rows.map(
    ({ tenant_id, id, body }) => JSON.parse(keyRingOf(env).decrypt(body, `deliveries|${tenant_id}|${id}`)).data,
  )
}

test('a STOP stays in force when the person is erased, unless the operator passes --forget-stops', async () => {
  const phone = freshPhone()
  const suppress = await env.api('POST', '/api/v1/suppressions', {
    token: env.operatorToken,
    body: { channel: 'sms', recipient: phone, reason: 'manual' },
  })
  expect([suppress.status, suppress.text]).toEqual([201, expect.any(String)])
  expect((await optIn(env, phone, { evidence_url: 'https://shop.example/opt-ins/c' })).status).toBe(201)
  const out = await env.api('POST', '/api/v1/whatsapp/opt-outs', { body: { phone_e164: phone } })
  expect([out.status, out.text]).toEqual([201, expect.any(String)])
  await eraseEverywhere(phone)
  expect(await tablesWith(env, indexOf(env, phone))).toEqual([
    'consent.consents',
    'consent.erased_evidence',
    'dispatch.suppressions',
  ])
  const again = await optIn(env, phone, { evidence_url: 'https://shop.example/opt-ins/c' })
  expect([again.status, again.body.code]).toEqual([409, 'whatsapp_recipient_stopped'])
  const refused = await env.api('POST', '/api/v1/notifications', {
    body: { channel: 'sms', recipient: { phone }, body: 'Hello' },
  })
  expect([refused.status, refused.body.code]).toEqual([422, 'recipient_suppressed'])
  await eraseEverywhere(phone, '--forget-stops')
  expect(await findPerson(env, phone)).toEqual([])
})

test('of the failures of an erased person only codes are left, not the words of carriers', async () => {
  const phone = freshPhone('0003')
  const id = await send(env, phone)
  const sentCode = await postUntilTaken(env, '/api/v1/otp/send', { channel: 'sms', recipient: phone })
  const ofCode = async () => {
    const query = 'select failure_reason from otp.transactions where id = $1'
    return (await env.admin.query(query, [sentCode.body.transaction_id])).rows
  }
  await untilActivity(env, id, { status: 'failed', failure_reason: expect.stringContaining(' ') })
  await eventually(async () => expect(await ofCode()).toEqual([{ failure_reason: expect.stringContaining(' ') }]))
  await eraseEverywhere(phone)
  await untilActivity(env, id, { recipient_masked: 'erased', failure_reason: null })
  expect((await stateOf(env, id)).failure_reason).toMatch(/^\d+$/)
  expect(await ofCode()).toEqual([{ failure_reason: null }])
})

test('a repetition of a request that named the person returns nothing about them after the erasure', async () => {
  const [phone, user] = [freshPhone(), freshUser()]
  const id = await send(env, phone, { body: 'Your table is ready, Ada.' })
  const keyed = (path: string, request: object) =>
    env.api('POST', `/api/v1/${path}`, { ...request, headers: { 'idempotency-key': phone } })
  const reference = 'Ada, order 7'
  const repeat = async () => [
    await keyed('whatsapp/opt-ins', { body: { phone_e164: phone, source: 'web_form', reference } }),
    await keyed('in-app/tokens', { body: { user_id: user } }),
    await keyed(`activity/${id}/content`, { token: env.operatorToken }),
  ]
  const first = await repeat()
  expect(first.map(({ status }) => status)).toEqual([201, 201, 200])
  expect((await repeat()).map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  await eraseEverywhere(phone)
  await eraseEverywhere(user)
  const [optedIn, token, content] = await repeat()
  expect(optedIn!.body).toMatchObject({ id: first[0]!.body.id, phone_e164: 'erased', reference: 'erased' })
  expect(token!.body).toMatchObject({ user_id: 'erased', token: 'erased' })
  expect([content!.status, content!.text.includes('Ada')]).toEqual([404, false])
})

test('a user is erased with the number or with the user id, and messages that name the user with the id', async () => {
  const [user, phone] = [freshUser(), freshPhone()]
  const save = () => env.api('PUT', `/api/v1/users/${user}`, { body: { phone } })
  const known = () => env.api('GET', `/api/v1/users/${user}`)
  await save()
  const { body: list } = await env.api('POST', '/api/v1/lists', { body: { name: 'Customers' } })
  const members = [{ user_id: user, data: { name: 'Ada' } }]
  await env.api('PUT', `/api/v1/lists/${list.list_id}/members`, { body: { members } })
  await expect(run('dispatch', phone, '--erase')).rejects.toThrow('other identifiers')
  expect((await known()).status).toBe(200)
  await eraseEverywhere(phone)
  expect((await env.api('GET', `/api/v1/lists/${list.list_id}`)).body.member_count).toBe(0)
  expect((await known()).status).toBe(404)
  await save()
  const { body } = await env.api('POST', '/api/v1/notifications', {
    body: { channel: 'sms', recipient: { user_id: user }, body: 'Your table is ready.' },
  })
  await untilState(env, body.notification_id, { delivery_status: 'delivered' })
  const fresh = freshPhone('0177')
  await env.api('PUT', `/api/v1/users/${user}`, { body: { phone: fresh, email: 'Ada@Shop.example' } })
  expect(await run('dispatch', user)).toContainEqual({
    rows: 'other identifiers',
    masked: [
      `email address A***@shop.example`,
      `phone number ${maskPhone(fresh)}`,
      `former address ${maskPhone(phone)}`,
    ],
  })
  expect(await run('dispatch', 'ada@shop.example')).toContainEqual({
    rows: 'other identifiers',
    masked: [`user id ${user.replace(/(?<=.).+(?=.)/, '***')}`, `phone number ${maskPhone(fresh)}`],
  })
  await eraseEverywhere(user)
  expect((await known()).status).toBe(404)
  expect((await stateOf(env, body.notification_id)).recipient_masked).toBe('erased')
  expect(await findPerson(env, user)).toEqual([])
})

test('stored webhooks about a changed preference no longer name a person who was erased', async () => {
  const [user, other, path] = [freshUser(), freshUser(), freshPath('ok')]
  await subscribe(env, path, { events: ['preference.changed'] })
  const topic = 'news'
  const created = await env.api('POST', `/api/v1/applications/${env.applicationId}/topics`, {
    token: env.operatorToken,
    body: { topic_key: topic, name: 'News', channels: ['email'] },
  })
  expect(created.status).toBe(201)
  const rules = [{ topic, channel: '*', state: 'off' }]
  for (const one of [user, other]) await env.api('PATCH', `/api/v1/users/${one}/preferences`, { body: { rules } })
  await untilReceived(env, path, 2)
  const { rowCount } = await env
    .sql('webhook-delivery')
    .query(
      `insert into fan_outs (id, tenant_id, weight, event, recipient_index, next_at) values ('waits', $1, 1, '', $2, now() + interval '1 hour')`,
      [env.tenantId, indexOf(env, user)],
    )
  expect(rowCount).toBe(1)
  expect(await run('webhook-delivery', user)).toContainEqual({ rows: 'fan_outs', count: 1 })
  await env.sql('webhook-delivery').query(`delete from fan_outs where id = 'waits'`)
  await eraseEverywhere(user)
  const bodies = JSON.stringify(await storedBodies())
  expect(bodies).not.toContain(user)
  expect(bodies).toContain(other)
  expect(bodies).toContain('"user_id":"erased"')
})

test('a person is erased under the spelling of the number that the carrier reports', async () => {
  const [theirs, reported, stopped] = ['+5531996880150', '+553196880150', '+553196880151']
  expect((await optIn(env, theirs)).status).toBe(201)
  await writeToUs(env, reported, { body: 'Hello' })
  await writeToUs(env, stopped, { body: 'STOP' })
  const names = ['callbacks.outbox, sealed', 'stream callbacks.message.received']
  await eventually(async () => {
    expect(await findPerson(env, reported)).toEqual(names)
    expect(await findPerson(env, stopped)).toEqual(expect.arrayContaining([...names, 'consent.consents']))
  })
  await eraseEverywhere(theirs)
  await eraseEverywhere('+5531996880151', '--forget-stops')
  for (const spelling of [theirs, reported, stopped]) expect(await findPerson(env, spelling)).toEqual([])
})

test('sealed events that cannot be decrypted are counted, and the command fails', async () => {
  const phone = freshPhone()
  await writeToUs(env, phone, { body: 'Hello' })
  await eventually(async () => expect(await findPerson(env, phone)).toContain('stream callbacks.message.received'))
  const otherKeys = parseKeyRing(`other:${randomBytes(32).toString('base64')}`)
  await expect(runWith(otherKeys, 'callbacks', phone, '--erase')).rejects.toThrow(
    /^skipped because they cannot be decrypted: [1-9]\d* outbox, [1-9]\d* stream$/,
  )
  await eraseEverywhere(phone)
  expect(await findPerson(env, phone)).toEqual([])
})

test('a person is erased under another spelling of the email address', async () => {
  const [address, topic] = [`Ada+${Date.now()}@Shop.example`, 'offers']
  const created = await env.api('POST', `/api/v1/applications/${env.applicationId}/topics`, {
    token: env.operatorToken,
    body: { topic_key: topic, name: 'Offers', channels: ['email'] },
  })
  expect(created.status).toBe(201)
  const rules = [{ address, topic, channel: '*', state: 'off' }]
  expect((await env.api('POST', '/api/v1/preferences/import', { body: { rules } })).body.changed).toBe(1)
  expect(await findPerson(env, address)).toContain('dispatch.outbox, sealed')
  await eraseEverywhere(address.toLowerCase(), '--forget-stops')
  expect(await findPerson(env, address)).toEqual([])
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
  expect(await findPerson(env, user)).toEqual([])
  expect((await optIn(env, freshPhone(), { evidence_url: 'https://shop.example/opt-ins/d' })).status).toBe(201)
  for (const change of [
    `set recipient_index = 'erased ' || id, action = 'opt_out'`,
    `set recipient_index = 'someone'`,
  ]) {
    await expect(env.sql('consent').query(`update consent_entries ${change} where action = 'opt_in'`)).rejects.toThrow(
      'append-only',
    )
  }
})

test('a user whose id is an email address has one inbox in every spelling, and is erased under each', async () => {
  const id = `Ada.${freshUser()}@Shop.example`
  await env.api('PUT', `/api/v1/users/${encodeURIComponent(id)}`, { body: { locale: 'en' } })
  const sent = [await sendInApp(env, id), await sendInApp(env, '', { recipient: { user_id: id.toLowerCase() } })]
  await untilInbox(env, await userToken(env, id), 2)
  await eraseEverywhere(id.toLowerCase())
  const { rows } = await env.admin.query(
    'select content from inbox_stream.inbox_items where notification_id = any($1)',
    [sent],
  )
  expect(rows).toEqual([{ content: null }, { content: null }])
  expect(await findPerson(env, id)).toEqual([])
})

test("a delivery that waits for the person's own webhook address ends, and no longer names the address", async () => {
  const address = `${env.stack.receiverUrl}${freshPath('500')}`
  // By the usual schedule it would soon end by itself.
  await env.admin.query('update webhook_delivery.providers set retry_delays = array[3600000]')
  const { body, status } = await env.api('POST', '/api/v1/notifications', {
    body: {
      channel: 'webhook',
      event_key: 'order.shipped',
      recipient: { url: address },
      data: { name: 'Ada', order: 'A-1' },
    },
  })
  expect(status).toBe(202)
  const pending = () =>
    env.admin.query(
      `select status, last_error from webhook_delivery.deliveries d where notification_id = $1 and exists (
         select from webhook_delivery.attempts a where a.delivery_id = d.id and a.finished_at is not null)`,
      [body.notification_id],
    )
  await eventually(async () => expect((await pending()).rows).toMatchObject([{ status: 'pending' }]))
  expect(await findPerson(env, address)).toContain('webhook_delivery.deliveries.url, encrypted')
  await eraseEverywhere(address)
  expect((await pending()).rows).toEqual([{ status: 'exhausted', last_error: 'recipient_erased' }])
  await untilState(env, body.notification_id, { delivery_status: 'failed', failure_reason: 'recipient_erased' })
  expect(await findPerson(env, address)).toEqual([])
})

test('erase-recipient requires the tenant and the recipient', async () => {
  await expect(run('dispatch', '')).rejects.toThrow('use: erase-recipient --tenant <id>')
  const tenant = ['erase-recipient', '--tenant', env.tenantId]
  expect(await pipeCommand(env, 'consent', tenant)).toMatchObject({
    status: 1,
    errors: expect.stringContaining('the recipient is missing'),
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { schemaOf, serviceNames } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import { activity, retry, untilActivity } from '@notify/test-kit/activity'
import { post, untilState } from '@notify/test-kit/api'
import { openBus, storedMessages } from '@notify/test-kit/bus'
import { demoAccount, report } from '@notify/test-kit/callbacks'
import { operatorToken } from '@notify/test-kit/callers'
import { searchColumns, writtenSecrets } from '@notify/test-kit/search-columns'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
/** The texts that may be found only at their destination. */
let secrets: string[]

/** A flow with unmistakable values, through success, failure, refusal, retry and bad input. */
beforeAll(async () => {
  env = await TestEnv.start(undefined, { env: { all: { LOG_LEVEL: 'trace' } } })
  const word = 'Zwetschgenknödel'
  const phones = ['0100', '0002', '0003', '0006', '0005'].map((ending) => freshPhone(ending))
  const { state } = env.stack
  secrets = [
    ...phones.map((phone) => phone.slice(1)),
    word,
    'Rumpelstilzchen',
    'Schneewittchen',
    env.apiKey,
    env.apiKeySendOnly,
    env.operatorToken,
    state.twilio_auth_token,
    ...[state.encryption_keys, state.gateway_encryption_keys].map((ring) => ring.split(':')[1]!),
    state.blind_index_key,
    state.fingerprint_key,
    state.principal_signing_key.d,
    state.otp_signing_key.d,
    state.dispatch_signing_key.d,
    state.callbacks_signing_key.d,
    state.inbox_stream_signing_key.d,
    state.webhook_delivery_signing_key.d,
  ]
  const operator = operatorToken(env, {
    sub: 'Schneewittchen',
    permissions: ['activity:read', 'activity:retry', 'providers:manage', 'events:manage'],
  })
  const ids: string[] = []
  for (const phone of phones) {
    const fields = { body: 'Dear {{ name }}', template_data: { name: word }, metadata: { customer: 'Schneewittchen' } }
    ids.push(
      (await post(env, smsTo(phone, fields), { headers: { 'idempotency-key': phone.slice(-7) } })).body.notification_id,
    )
  }
  const [delivered, undelivered, refused] = ids as [string, string, string]
  await untilActivity(env, delivered, { status: 'delivered' })
  await untilActivity(env, refused, { status: 'failed' })
  await untilActivity(env, undelivered, { status: 'undelivered' })
  const headers = { 'idempotency-key': 'privacy' }
  await retry(env, undelivered, { token: operator, headers })
  const suppression = { channel: 'sms', recipient: freshPhone() }
  await env.api('POST', '/api/v1/suppressions', { token: operator, body: suppression, headers })
  const { attempts } = await untilState(env, undelivered, { delivery_status: 'undelivered', retry_count: 1 })
  const [secretPhone] = phones
  await report(env, { notificationId: undelivered, attemptId: attempts[0].attempt_id }, 'delivered', {
    fields: { To: secretPhone ?? '', Body: word },
  })
  await untilActivity(env, undelivered, { status: 'delivered' })
  expect((await env.api('POST', '/api/v1/domains', { body: { domain: 'shop.example' } })).status).toBe(201)
  // Refused requests are not stored either.
  const bad = [
    { raw: `{"channel":"sms","recipient":{"phone":"${secretPhone}"},"body":"${word}` },
    { body: { ...smsTo(secretPhone ?? ''), event_key: 'order.shipped' } },
    { body: smsTo(`${secretPhone} ${word}`) },
    { body: smsTo(secretPhone ?? '', { body: `{{ ${word}`, template_data: {} }) },
    { body: { channel: 'sms', event_key: 'order.shipped', recipient: secretPhone, data: { name: 'Rumpelstilzchen' } } },
    { body: smsTo(secretPhone ?? ''), key: `${env.apiKey}x` },
  ]
  for (const request of bad)
    expect((await env.api('POST', '/api/v1/notifications', request)).status).toBeGreaterThan(399)
  await report(env, { notificationId: delivered, attemptId: 'att_x' }, 'sent', {
    account: { ...demoAccount(env), authToken: 'wrong' },
    fields: { To: secretPhone ?? '' },
  })
})
afterAll(() => env?.stop())

test('no log file contains a phone number, a text, a key or a token', async () => {
  const folder = join(env.stack.dataDir, 'logs')
  // The last lines have been written.
  await eventually(() => expect(env.logs('callbacks', 5000)).toContain('"code":"invalid_signature"'))
  await eventually(() => expect(env.logs('dispatch-worker', 5000)).toContain('"msg":"attempt"'))
  const files = readdirSync(folder)
  expect(files).toContain('together.log')
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    expect([file, secrets.filter((secret) => text.includes(secret))]).toEqual([file, []])
  }
})

test('no key in Redis contains any of them', async () => {
  const token = operatorToken(env, { sub: 'Schneewittchen' })
  // Counters expire after a second.
  const keys = await eventually(async () => {
    await activity(env, {}, token)
    const text = await redisKeys(env)
    expect(text.match(/limit:/g)?.length).toBeGreaterThanOrEqual(2)
    return text
  })
  expect(writtenSecrets(keys, secrets)).toEqual([])
})

/** The names of all keys, as Redis writes them. */
async function redisKeys({ stack }: TestEnv): Promise<string> {
  const { hostname, port, password } = new URL(stack.redisUrl)
  const socket = connect(Number(port), hostname)
  socket.end(`AUTH ${password}\r\nKEYS *\r\nQUIT\r\n`)
  return readAll(socket)
}

test('no message on the bus contains any of them', async () => {
  await using bus = await openBus(env)
  const messages = await storedMessages(bus)
  expect(new Set(messages.map(({ subject }) => subject.split('.')[0]))).toEqual(
    new Set(['gateway', 'dispatch', 'callbacks']),
  )
  const text = messages.map((message) => `${message.subject}\n${message.headers}\n${message.text}`).join('\n')
  expect(writtenSecrets(text, secrets)).toEqual([])
})

test('no column of any table contains any of them, in any notation', async () => {
  const searched = await searchColumns(env.admin, serviceNames.map(schemaOf), secrets)
  expect(searched.found).toEqual([])
  // The search covered outboxes, payloads, credentials and the activity, all with rows.
  expect(searched.columns).toEqual(
    expect.arrayContaining([
      'dispatch.outbox.events',
      'dispatch.notifications.payload',
      'dispatch.notifications.metadata',
      'dispatch.providers.credentials',
      'dispatch.domains.private_key',
      'dispatch.idempotency_keys.response',
      'dispatch.attempts.provider_message',
      'callbacks.outbox.events',
      'callbacks.providers.credentials',
      'gateway.activity.failure_reason',
    ]),
  )
  const masked = await searchColumns(env.admin, serviceNames.map(schemaOf), ['0100'])
  expect(masked.found).toContain('gateway.activity.recipient_masked: 0100')
  expect(masked.found).not.toContain('dispatch.notifications.payload: 0100')
})

test('the encrypted columns contain these texts', async () => {
  const keyRing = parseKeyRing(env.stack.state.encryption_keys)
  const { rows } = await env.admin.query(
    `select 'notifications' as place, tenant_id, id, payload as sealed from dispatch.notifications
     union all select 'notifications.metadata', tenant_id, id, metadata from dispatch.notifications
     union all select 'providers', tenant_id, id, credentials from dispatch.providers
     union all select 'domains', tenant_id, id, private_key from dispatch.domains
     union all select 'providers', tenant_id, id, credentials from callbacks.providers where credentials is not null`,
  )
  const text = rows.map(({ place, tenant_id, id, sealed }) => keyRing.decrypt(sealed, `${place}|${tenant_id}|${id}`))
  expect(new Set(rows.map(({ place }) => place))).toEqual(
    new Set(['notifications', 'notifications.metadata', 'providers', 'domains']),
  )
  const inside = secrets.slice(0, 5).concat('Zwetschgenknödel', 'Schneewittchen', env.stack.state.twilio_auth_token)
  expect(inside.filter((secret) => !text.join('\n').includes(secret))).toEqual([])
})

test('the search finds planted texts in columns of any type', async () => {
  const planted = 'Rübezahl +1'
  const ways = {
    text: planted,
    'varchar(99)': `before ${planted} after`,
    'text[]': [planted],
    bytea: Buffer.from(planted),
    json: JSON.stringify({ deep: [{ planted }] }),
    jsonb: JSON.stringify({ [planted]: 1 }),
    'text ': Buffer.from(`x${planted}`).toString('base64'),
    'text  ': Buffer.from(`xy${planted}`).toString('base64url'),
    'text   ': Buffer.from(planted).toString('hex').toUpperCase(),
    'text    ': new URLSearchParams({ planted }).toString(),
    'text     ': encodeURIComponent(planted),
    'text      ': '"R\\u00fcbezahl \\u002b1"'.replace('\\u002b', '+'),
    'bytea ': Buffer.from(Buffer.from(planted).toString('base64')),
  }
  const columns = Object.keys(ways).map((type, index) => `c${index} ${type}`)
  await env.admin.query(`create schema planted; create table planted.columns (${columns.join(', ')}, none text)`)
  const places = columns.map((_, index) => `$${index + 1}`)
  await env.admin.query(`insert into planted.columns values (${places.join(', ')})`, Object.values(ways))
  const { found, columns: searched } = await searchColumns(env.admin, ['planted'], [planted])
  await env.admin.query('drop schema planted cascade')
  expect(found).toEqual(columns.map((_, index) => `planted.columns.c${index}: ${planted}`))
  expect(searched).toHaveLength(columns.length)
})

test('no metric contains any of them', async () => {
  for (const url of Object.values(env.stack.metricsUrls)) {
    const text = await (await fetch(url)).text()
    expect([url, secrets.filter((secret) => text.includes(secret))]).toEqual([url, []])
  }
})

test('a recipient is found by its blind index, which differs between tenants', async () => {
  const { rows } = await env.admin.query('select distinct recipient_index from dispatch.notifications')
  expect(rows).toHaveLength(5)
  for (const { recipient_index } of rows) expect(recipient_index).toMatch(/^[\w-]{22}$/)
})

test("no role can read another's schema, nor create anything outside its own", async () => {
  for (const service of serviceNames) {
    const own = env.sql(service)
    for (const other of serviceNames.filter((name) => name !== service)) {
      const schema = schemaOf(other)
      await expect(own.query(`create table ${schema}.mine (n int)`)).rejects.toThrow('permission denied')
      const { rows: tables } = await env.admin.query('select tablename from pg_tables where schemaname = $1', [schema])
      for (const { tablename } of tables) {
        await expect(own.query(`select 1 from ${schema}.${tablename} limit 1`)).rejects.toThrow('permission denied')
      }
    }
    await expect(own.query('create table public.mine (n int)')).rejects.toThrow('permission denied')
    await expect(own.query('create schema mine')).rejects.toThrow('permission denied')
    await expect(own.query('set role postgres')).rejects.toThrow('permission denied')
    expect((await own.query('select current_user as role')).rows).toEqual([{ role: schemaOf(service) }])
  }
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { schemaOf, serviceNames } from '../../packages/contracts/src/index.ts'
import { eventually, TestEnv } from '../../packages/dev-env/src/index.ts'
import { openBus, storedMessages } from './bus.ts'
import { demoAccount, report } from './carrier-callback.ts'
import { freshPhone, post, retry, smsTo, untilActivity, untilState } from './sms.ts'

let env: TestEnv
/** What nobody may find anywhere but where it was sent to. */
let secrets: string[]

/** A flow with values that cannot be mistaken, through success, failure, refusal, retry and bad input. */
beforeAll(async () => {
  env = await TestEnv.start(undefined, { env: { all: { LOG_LEVEL: 'trace' } } })
  const word = 'Zwetschgenknödel'
  const phones = ['0100', '0002', '0003', '0006', '0005'].map((ending) => freshPhone(ending))
  const { state } = env.stack
  secrets = [
    ...phones.map((phone) => phone.slice(1)),
    word,
    'Rumpelstilzchen',
    env.apiKey,
    env.apiKeySendOnly,
    env.operatorToken,
    state.twilio_auth_token,
    ...state.encryption_keys.map(({ key }) => key),
    state.blind_index_key,
    state.fingerprint_key,
    state.principal_signing_key.d,
  ]
  const ids: string[] = []
  for (const phone of phones) {
    const fields = { body: 'Dear {{ name }}', template_data: { name: word } }
    ids.push(
      (await post(env, smsTo(phone, fields), { headers: { 'idempotency-key': phone.slice(-7) } })).body.notification_id,
    )
  }
  const [delivered, undelivered, refused] = ids as [string, string, string]
  await untilActivity(env, delivered, { status: 'delivered' })
  await untilActivity(env, refused, { status: 'failed' })
  await untilActivity(env, undelivered, { status: 'undelivered' })
  await retry(env, undelivered)
  const { attempts } = await untilState(env, undelivered, { delivery_status: 'undelivered', retry_count: 1 })
  const [secretPhone] = phones
  await report(env, { notificationId: undelivered, attemptId: attempts[0].attempt_id }, 'delivered', {
    fields: { To: secretPhone ?? '', Body: word },
  })
  await untilActivity(env, undelivered, { status: 'delivered' })
  // What is refused is not kept either.
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
}, 60_000)
afterAll(() => env?.stop())

test('no log file holds a phone number, a text, a key or a token', async () => {
  const folder = join(env.stack.dataDir, 'logs')
  // What happened last has been written.
  await eventually(() => expect(env.logs('callbacks')).toContain('"code":"invalid_signature"'))
  expect(env.logs('dispatch-worker', 5000)).toContain('"msg":"attempt"')
  const files = readdirSync(folder)
  expect(files).toEqual(
    expect.arrayContaining(['gateway.log', 'dispatch-api.log', 'dispatch-worker.log', 'callbacks.log']),
  )
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    expect([file, secrets.filter((secret) => text.includes(secret))]).toEqual([file, []])
  }
})

test('no message on the bus holds any of them', async () => {
  await using bus = await openBus(env)
  const messages = await storedMessages(bus)
  expect(new Set(messages.map(({ subject }) => subject.split('.')[0]))).toEqual(new Set(['dispatch', 'callbacks']))
  const text = messages.map((message) => `${message.subject}\n${message.headers}\n${message.text}`).join('\n')
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
})

test('no column of any table holds any of them', async () => {
  const { rows: tables } = await env.admin.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema = any($1) and table_type = 'BASE TABLE'`,
    [serviceNames.map(schemaOf)],
  )
  expect(tables.length).toBeGreaterThan(15)
  for (const { name } of tables) {
    const { rows } = await env.admin.query(`select t::text as row from ${name} t`)
    const text = rows.map(({ row }) => row).join('\n')
    // Bytes are shown in hexadecimal: what is not encrypted would be readable there.
    const asBytes = secrets.map((secret) => Buffer.from(secret).toString('hex'))
    const found = [...secrets, ...asBytes].filter((secret) => text.includes(secret))
    expect([name, found]).toEqual([name, []])
  }
})

test('no metric holds any of them', async () => {
  for (const url of Object.values(env.stack.metricsUrls)) {
    const text = await (await fetch(url)).text()
    expect([url, secrets.filter((secret) => text.includes(secret))]).toEqual([url, []])
  }
})

test('the same recipient is found by its index, which two tenants do not share', async () => {
  const { rows } = await env.admin.query('select distinct recipient_index from dispatch.notifications')
  expect(rows).toHaveLength(5)
  for (const { recipient_index } of rows) expect(recipient_index).toMatch(/^[\w-]{22}$/)
})

test('no role can see into another’s schema, nor make anything outside its own', async () => {
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

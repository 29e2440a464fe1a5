import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { earliestId } from '@notify/contracts'
import { eventually, type NodeProcess, requireBinary, TestEnv } from '@notify/dev-env'
import { post, postUntilTaken, stateOf, untilState } from '@notify/test-kit/api'
import { inbox, userToken } from '@notify/test-kit/inbox'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'
import { freshPath, received, subscribe, untilReceived } from '@notify/test-kit/webhooks'
import { consentOf, optIn, untilConsent, writeToUs } from '@notify/test-kit/whatsapp'

const library = libfaketime()
const processes = [
  'gateway',
  'dispatch-api',
  'dispatch-worker',
  'callbacks',
  'consent',
  'otp',
  'inbox-stream',
  'webhook-delivery',
] as const satisfies readonly NodeProcess[]

/** The library that changes the clock of a process; only Linux loads it in this way. */
function libfaketime(): string | undefined {
  if (process.platform !== 'linux') return undefined
  requireBinary('faketime')
  const [file] = globSync(['/usr/lib/*/faketime/libfaketime.so.1', '/usr/lib*/faketime/libfaketime.so.1'])
  if (!file) throw new Error('faketime is installed without libfaketime.so.1')
  return file
}

const describeWith = library ? describe : describe.skip

describeWith('clocks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'notify-clocks-'))
  const fileOf = (name: NodeProcess) => join(folder, name)
  let env: TestEnv

  beforeAll(async () => {
    setClocks(0)
    const clockOf = (name: NodeProcess) => ({
      LD_PRELOAD: library!,
      FAKETIME_TIMESTAMP_FILE: fileOf(name),
      FAKETIME_NO_CACHE: '1',
      // As when the system's clock is stepped: monotonic time is not affected.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // Far from UTC, with daylight saving: nothing may depend on the time zone.
      TZ: 'Australia/Lord_Howe',
    })
    env = await TestEnv.start(
      ['gateway', 'dispatch', 'callbacks', 'consent', 'otp', 'inbox-stream', 'webhook-delivery'],
      {
        apart: 'all',
        env: Object.fromEntries(processes.map((name) => [name, clockOf(name)])),
      },
    )
  })
  afterEach(() => setClocks(0))
  afterAll(async () => {
    await env?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Sets the clocks of processes off by so many minutes. */
  function setClocks(minutes: number, names: readonly NodeProcess[] = processes): void {
    const seconds = minutes * 60
    for (const name of names) writeFileSync(fileOf(name), `${seconds < 0 ? '' : '+'}${seconds}\n`)
  }

  const timesSentTo = async (phone: string) => (await env.messages({ to: phone })).length
  const tenMinutes = [10, -10]
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

  test('the clock of a process is stepped', async () => {
    setClocks(-10, ['gateway'])
    // Node formats the date once a second.
    await eventually(async () => {
      const { headers } = await fetch(`${env.urls.gateway}/healthz`)
      expect(Date.parse(headers.get('date')!)).toBeLessThan(Date.now() - 500_000)
    })
    expect(existsSync(library!)).toBe(true)
  })

  test.each(tenMinutes)(
    'after a step of all clocks by %d minutes messages continue, and are sent once',
    async (step) => {
      const path = freshPath('ok')
      await subscribe(env, path, { events: ['notification.delivered'] })
      const [before, unanswered, retried, later] = [freshPhone(), freshPhone('0005'), freshPhone('0004'), freshPhone()]
      const scheduled = await send(env, later, { send_at: inMinutes(30) })
      const early = await send(env, before)
      const underWay = await send(env, unanswered)
      setClocks(step)
      const after = await send(env, retried)
      for (const id of [early, after, underWay]) await untilState(env, id, { delivery_status: 'delivered' })
      await untilReceived(env, path, 3)
      // A message that was sent, or is due, in Postgres's future is sent neither again nor early.
      expect(await timesSentTo(before)).toBe(1)
      expect(await timesSentTo(unanswered)).toBe(1)
      expect(await timesSentTo(retried)).toBe(1)
      expect(await stateOf(env, scheduled)).toMatchObject({ delivery_status: 'scheduled' })
      expect(await received(env, path)).toHaveLength(3)
    },
  )

  test.each(tenMinutes)('a code that was sent before a step by %d minutes verifies after it', async (step) => {
    const phone = freshPhone()
    const asked = await postUntilTaken(env, '/api/v1/otp/send', { channel: 'sms', recipient: phone })
    expect(asked.status).toBe(200)
    const [message] = await eventually(async () => {
      const messages = await env.messages({ to: phone })
      expect(messages).toHaveLength(1)
      return messages
    })
    setClocks(step)
    const code = /\b\d{4,10}\b/.exec(message!.text)![0]
    const { transaction_id } = asked.body
    const verified = await env.api('POST', '/api/v1/otp/verify', { body: { transaction_id, code } })
    expect(verified.body).toMatchObject({ status: 'verified' })
  })

  test.each(tenMinutes)(
    'a worker whose clock is stepped alone, by %d minutes, sends nothing twice or early',
    async (leap) => {
      const [unanswered, retried, later] = [freshPhone('0005'), freshPhone('0004'), freshPhone()]
      const scheduled = await send(env, later, { send_at: inMinutes(5) })
      const ids = [await send(env, unanswered), await send(env, retried)]
      setClocks(leap, ['dispatch-worker'])
      for (const id of ids) await untilState(env, id, { delivery_status: 'delivered' })
      const next = await send(env, freshPhone())
      await untilState(env, next, { delivery_status: 'delivered' })
      expect(await timesSentTo(unanswered)).toBe(1)
      expect(await timesSentTo(retried)).toBe(1)
      expect(await stateOf(env, scheduled)).toMatchObject({ delivery_status: 'scheduled' })
    },
  )

  test.each(tenMinutes)(
    'a gateway whose clock is stepped alone, by %d minutes, does not answer callers with 401',
    async (leap) => {
      setClocks(leap, ['gateway'])
      const phone = freshPhone()
      // A principal that it signs with a late clock has expired when it is read.
      const [status, code] = leap > 0 ? [202, undefined] : [503, 'service_unavailable']
      await eventually(async () => {
        const sent = await post(env, smsTo(phone))
        expect([sent.status, sent.body.code]).toEqual([status, code])
        const read = await env.api('GET', '/api/v1/suppressions', { token: env.operatorToken })
        expect([read.status, read.body.code]).toEqual([leap > 0 ? 200 : 503, code])
      })
      setClocks(0)
      await eventually(async () => expect((await post(env, smsTo(freshPhone()))).status).toBe(202))
    },
  )

  test('an opt-out or STOP revokes a consent, also when it reaches replicas that are 10 minutes behind the opt-in', async () => {
    const agreed = async () => {
      const phone = freshPhone()
      const evidence_url = `https://shop.example/opt-ins/${phone}`
      expect((await optIn(env, phone, { evidence_url })).status).toBe(201)
      return phone
    }
    const [asked, wrote] = [await agreed(), await agreed()]
    setClocks(-10, ['consent', 'callbacks'])
    const optOut = await env.api('POST', '/api/v1/whatsapp/opt-outs', { body: { phone_e164: asked } })
    expect([optOut.status, optOut.body.status]).toEqual([201, 'revoked'])
    expect(await consentOf(env, asked)).toMatchObject({ status: 'revoked' })
    await writeToUs(env, wrote, { body: 'STOP' })
    await untilConsent(env, wrote, { status: 'revoked' })
  })

  test('a STOP that comes at once revokes a consent, also when the clock of Postgres was ahead at the opt-in', async () => {
    const phone = freshPhone()
    const evidence_url = `https://shop.example/opt-ins/${phone}`
    expect((await optIn(env, phone, { evidence_url })).status).toBe(201)
    await env.admin.query(
      `update consent.consents set agreed_at = now() + interval '10 minutes', changed_at = now() + interval '10 minutes'
       where agreed_at > now() - interval '1 minute'`,
    )
    await writeToUs(env, phone, { body: 'STOP' })
    await untilConsent(env, phone, { status: 'revoked' })
  })

  test("a user's token expires by the clock of the replica that verifies it", async () => {
    const token = await userToken(env, 'user-of-clocks', { ttl_seconds: 300 })
    setClocks(10, ['inbox-stream'])
    expect((await inbox(env, token)).status).toBe(401)
    setClocks(0)
    expect((await inbox(env, token)).status).toBe(200)
  })

  /** Tables, the days that they keep rows, the column that orders those by age, and what rows of an age have. */
  const retained = [
    {
      ...{ table: 'dispatch.notifications', days: 30, column: 'id', which: 'settled' },
      has: (at: Date) => `(id, updated_at) = ('${earliestId('notif', at.getTime())}', '${at.toISOString()}')`,
    },
    {
      ...{ table: 'otp.messages', days: 30, column: 'notification_id', which: 'true' },
      has: (at: Date) => `notification_id = '${earliestId('notif', at.getTime())}'`,
    },
    {
      ...{ table: 'callbacks.received_callbacks', days: 14, column: 'received_at', which: 'true' },
      has: (at: Date) => `received_at = '${at.toISOString()}'`,
    },
    {
      ...{ table: 'webhook_delivery.deliveries', days: 30, column: 'finished_at', which: 'finished_at is not null' },
      has: (at: Date) => `finished_at = '${at.toISOString()}'`,
    },
  ]
  type Retained = (typeof retained)[number]

  /** Makes the newest row as old as a row of which so many minutes of its retention are left. @returns its age */
  async function age({ table, days, column, which, has }: Retained, minutesLeft: number): Promise<Date> {
    const at = new Date(Date.now() - days * 86_400_000 + minutesLeft * 60_000)
    await eventually(async () => {
      const newest = `select ctid from ${table} where ${which} order by ${column} desc limit 1`
      const { rowCount } = await env.admin.query(`update ${table} set ${has(at)} where ctid = (${newest})`)
      expect(rowCount).toBe(1)
    })
    return at
  }

  const exists = async ({ table, has }: Retained, at: Date) =>
    (await env.admin.query(`select from ${table} where ${has(at)}`)).rows.length === 1

  test.each(tenMinutes)('a step by %d minutes deletes no data within its retention', async (step) => {
    const path = freshPath('ok')
    await subscribe(env, path, { events: ['notification.delivered'] })
    for (const phone of [freshPhone(), freshPhone()]) {
      await postUntilTaken(env, '/api/v1/otp/send', { channel: 'sms', recipient: phone })
      await untilState(env, await send(env, phone), { delivery_status: 'delivered' })
    }
    await untilReceived(env, path, 2)
    setClocks(step)
    const rows = []
    for (const one of retained) rows.push({ ...one, keptAt: await age(one, 5), deletedAt: await age(one, -20) })
    // Retention also runs at the start.
    for (const name of ['dispatch-worker', 'otp', 'callbacks', 'webhook-delivery'] as const) await env.restart(name)
    for (const one of rows) {
      await eventually(async () => expect([one.table, await exists(one, one.deletedAt)]).toEqual([one.table, false]))
      expect([one.table, await exists(one, one.keptAt)]).toEqual([one.table, true])
    }
  })

  test('times are in UTC, whatever the time zone of processes and of the database', async () => {
    const { rows } = await env.admin.query<{ name: string }>('select current_database() as name')
    await env.admin.query(`alter database ${rows[0]!.name} set timezone to 'Pacific/Kiritimati'`)
    for (const name of ['gateway', 'dispatch-worker', 'dispatch-api'] as const) await env.restart(name)
    const sendAt = inMinutes(60)
    const id = await send(env, freshPhone(), { send_at: sendAt })
    const state = await stateOf(env, id)
    expect(state.send_at).toBe(sendAt)
    expect(Math.abs(Date.parse(state.created_at) - Date.now())).toBeLessThan(60_000)
    expect(state.created_at).toMatch(/Z$/)
  })
})

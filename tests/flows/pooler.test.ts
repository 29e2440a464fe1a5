import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, startTestPgbouncer, TestEnv, type TestPgbouncer } from '@notify/dev-env'
import { activity, untilActivity } from '@notify/test-kit/activity'
import { post } from '@notify/test-kit/api'
import { pipeCommand } from '@notify/test-kit/processes'
import { freshPhone, send, sendUntilTaken, smsTo } from '@notify/test-kit/sms'

const ini = readFileSync(join(import.meta.dirname, '../../infra/pgbouncer/pgbouncer.ini'), 'utf8')
/** Fewer than the pools of the services have, so that services share them. */
const connections = 'default_pool_size = 3'
const services = ['gateway', 'dispatch', 'callbacks'] as const
const processes = ['gateway', 'dispatch-api', 'dispatch-worker', 'callbacks'] as const

/** PgBouncer of Debian does not support named statements. */
const withoutNames = { DATABASE_PREPARED_STATEMENTS: 'off' }
const vars: Record<(typeof processes)[number], Record<string, string>> = {
  gateway: {},
  'dispatch-api': {},
  'dispatch-worker': {},
  callbacks: {},
}

let env: TestEnv
let pgbouncer: TestPgbouncer | undefined

beforeAll(async () => {
  env = await TestEnv.start(services, {
    apart: 'all',
    env: { all: withoutNames, ...vars },
    async onStack(stack) {
      const urls = services.map((service) => stack.databaseUrl(service))
      // The port of an own Postgres is free, because tests share one.
      const { postgres: port } = stack.ports.process
      const via = (url: string) => {
        const proxied = new URL(url)
        proxied.host = `127.0.0.1:${port}`
        proxied.pathname = '/notify'
        return proxied.href
      }
      for (const name of processes) {
        const service = name.startsWith('dispatch') ? 'dispatch' : (name as 'gateway' | 'callbacks')
        vars[name].DATABASE_URL = via(stack.databaseUrl(service))
        vars[name].MIGRATION_DATABASE_URL = stack.databaseUrl(service)
      }
      pgbouncer = await startTestPgbouncer({
        port,
        ini: ini.replace(/^default_pool_size.*$/m, connections),
        databaseUrls: urls,
      })
    },
  })
})
afterAll(async () => {
  await env?.stop()
  await pgbouncer?.stop()
})

test('through PgBouncer in transaction mode accepted messages are delivered once, and the activity is right', async () => {
  const before = (await activity(env)).body.total_count
  const phones = Array.from({ length: 60 }, () => freshPhone())
  const ids = await Promise.all(phones.map((phone) => sendUntilTaken(env, phone)))
  await eventually(async () => {
    const { body } = await activity(env, { status: 'delivered', limit: '100' })
    const delivered = body.items.map(({ transaction_id }: { transaction_id: string }) => transaction_id)
    expect(delivered).toEqual(expect.arrayContaining(ids))
  })
  await untilActivity(env, await send(env, freshPhone('0002')), { status: 'undelivered' })
  const counts = Map.groupBy(await env.messages({ limit: '200' }), ({ to }) => to)
  expect(phones.filter((phone) => counts.get(phone)?.length !== 1)).toEqual([])
  await eventually(async () => expect((await activity(env)).body.total_count).toBe(before + 61))
})

test('sessions behind PgBouncer have the roles of the services and their settings', async () => {
  const { rows } = await env.admin.query(
    `select usename as role, count(*)::int as sessions from pg_stat_activity
     where datname = current_database() and usename in ('gateway', 'dispatch', 'callbacks') group by usename order by usename`,
  )
  expect(rows.map(({ role }) => role)).toEqual(['callbacks', 'dispatch', 'gateway'])
  for (const { sessions } of rows) expect(sessions).toBeLessThanOrEqual(3)
  const log = pgbouncer!.output(10_000).join('\n')
  for (const { role } of rows) expect(log).toContain(`notify/${role}@`)
  for (const name of processes) expect(env.logs(name, 10_000)).not.toContain('provision the database')
})

test('PgBouncer ends idle sessions before reindex gives up waiting for them', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const [, waits] = /the command waits up to (\d+) s and then refuses/.exec(manual)!
  const [, idle] = /^server_idle_timeout = (\d+)$/m.exec(ini) ?? []
  expect(Number(idle)).toBeLessThan(Number(waits) - 10)
})

test('idempotency, which needs transactions of several statements, works there too', async () => {
  const body = { requests: [smsTo(freshPhone()), smsTo(freshPhone())] }
  const request = { body, headers: { 'idempotency-key': 'through-the-pooler' } }
  const first = await env.api('POST', '/api/v1/notifications/batch', request)
  const again = await env.api('POST', '/api/v1/notifications/batch', request)
  expect([first.status, again.status, again.text]).toEqual([202, 202, first.text])
  const one = await post(env, smsTo(freshPhone()), { headers: { 'idempotency-key': 'through-the-pooler' } })
  expect(one.status).toBe(202)
})

test('erase-recipient works there too, run again and again', async () => {
  const phones = [freshPhone(), freshPhone()]
  for (const phone of phones) await untilActivity(env, await send(env, phone), { status: 'delivered' })
  const args = ['erase-recipient', '--tenant', env.tenantId, '--erase']
  const variables = { ...withoutNames, ...vars['dispatch-api'] }
  for (const input of [...phones, ...phones]) {
    // A message of the stream that is not handled yet has to be erased by another run.
    await eventually(async () => {
      const { status, output } = await pipeCommand(env, 'dispatch-api', args, { input, variables })
      expect([status, output]).toEqual([0, expect.stringContaining('"rows":"stream"')])
    })
  }
})

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type ServiceProcess, TestEnv } from '@notify/dev-env'
import { keyIdOf, parseKeyRing } from '@notify/privacy'
import { postUntilTaken, untilState } from '@notify/test-kit/api'
import { runCommand } from '@notify/test-kit/processes'
import { freshPhone, send } from '@notify/test-kit/sms'

const [before, after] = ['before', 'after'].map((id) => `${id}:${randomBytes(32).toString('base64')}`)

let env: TestEnv
beforeAll(async () => {
  // As after the first step of a rotation: every process has the new key, and none encrypts with it yet.
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-worker', 'callbacks', 'dispatch-api'],
    env: { all: { ENCRYPTION_KEYS: `${before},${after}` } },
  })
})
afterAll(() => env?.stop())

const metadata = { table: '7' }

test('rotate-keys re-encrypts everything with the first key of the ring, and messages and callbacks still work', async () => {
  const id = await send(env, freshPhone('0002'), { body: 'Your table is ready.', metadata })
  await untilState(env, id, { delivery_status: 'undelivered', metadata })
  const domain = await env.api('POST', '/api/v1/domains', { body: { domain: 'shop.example' } })
  expect(domain.status).toBe(201)
  const domainKey = await privateKeyOf(domain.body)
  await env.api('GET', '/api/v1/me', { token: env.operatorToken })
  await eventually(async () => expect((await env.admin.query('select from gateway.operators')).rows).toHaveLength(1))
  expect(await keyIds()).toEqual(['before'])

  const { status, output } = await run('dispatch-worker', 'rotate-keys')
  expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining('values re-encrypted') })
  for (const table of ['notifications', 'providers', 'domains']) expect(output).toContain(`"table":"${table}"`)
  expect((await run('callbacks', 'rotate-keys')).output).toContain('"rotated":2')
  expect((await run('gateway', 'rotate-keys')).output).toMatch(/"table":"operators".*"rotated":1/)
  expect(await keyIds()).toEqual(['after'])
  expect(await privateKeyOf(domain.body)).toBe(domainKey)
  expect((await run('dispatch-api', 'rotate-keys')).output).not.toMatch(/"rotated":[1-9]/)

  await env.restart('dispatch-worker')
  await env.restart('callbacks')
  const path = `/api/v1/activity/${id}/retry`
  expect((await postUntilTaken(env, path, undefined, { token: env.operatorToken })).status).toBe(202)
  await untilState(env, id, { delivery_status: 'undelivered', retry_count: 1, metadata })
  expect((await env.messages()).map(({ text }) => text)).toEqual(['Your table is ready.', 'Your table is ready.'])
})

test('rotate-keys fails while values of a key that is not in the ring are left, and counts them', async () => {
  const other = `other:${randomBytes(32).toString('base64')}`
  const { status, output } = await run('callbacks', 'rotate-keys', other)
  expect(status).toBe(1)
  expect(output).toContain('some values are unchanged: 2 in providers.')
  expect(output).toContain('of the unknown key after')
})

test('an unknown command of a service starts nothing, and prints the existing ones', async () => {
  for (const [process, argument, has] of [
    [
      'callbacks',
      'rotate-key',
      'callbacks has no command rotate-key; it has: migrate, rotate-keys, dead-letters, consumers, erase-recipient, export-tenant, import-tenant',
    ],
    [
      'gateway',
      'rotate-key',
      'gateway has no command rotate-key; it has: migrate, rotate-keys, reindex, create-tenant, dead-letters, consumers, after-restore, erase-recipient, export-tenant, import-tenant',
    ],
  ] as const) {
    const { status, output } = await run(process, argument)
    expect([status, output.trim()]).toEqual([1, has])
  }
})

/** Runs a command with the new key as the first of the ring. */
const run = (process: ServiceProcess, command: string, ring = `${after},${before}`) =>
  runCommand(env, process, [command], { ENCRYPTION_KEYS: ring })

/** The private key of a domain, decrypted with both keys of the ring. */
async function privateKeyOf({ domain_id }: { domain_id: string }): Promise<string> {
  const { rows } = await env.admin.query('select private_key as sealed from dispatch.domains where id = $1', [
    domain_id,
  ])
  return parseKeyRing(`${after},${before}`).decrypt(rows[0].sealed, `domains|${env.tenantId}|${domain_id}`)
}

/** The ids of all keys by which a value is encrypted now. */
async function keyIds(): Promise<(string | undefined)[]> {
  const { rows } = await env.admin.query(
    `select payload as sealed from dispatch.notifications union all select metadata from dispatch.notifications
     union all select credentials from dispatch.providers
     union all select private_key from dispatch.domains
     union all select credentials from callbacks.providers where credentials is not null
     union all select verify_token from callbacks.providers where verify_token is not null`,
  )
  // A message and its metadata, a domain, the five accounts of dispatch, and what callbacks verifies two of them with.
  expect(rows).toHaveLength(11)
  return [...new Set(rows.map(({ sealed }: { sealed: Buffer }) => keyIdOf(sealed)))]
}

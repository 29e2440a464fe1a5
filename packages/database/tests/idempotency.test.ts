import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Reply } from '@notify/service-kit'
import { eventually, TestEnv } from '../../dev-env/src/index.ts'
import {
  createIdempotencyTable,
  deleteExpiredKeys,
  type IdempotentRequest,
  runIdempotently,
} from '../src/idempotency.ts'
import type { Queries, Run } from '../src/open.ts'
import { type Process, startProcess } from './schema.ts'

let env: TestEnv
let one: Process

beforeAll(async () => {
  env = await TestEnv.start([])
  const { db, kit } = await startProcess(env)
  await createIdempotencyTable(db.kysely as never)
  await db.run('create table effects (id int generated always as identity, name text)')
  await kit.stop()
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate idempotency_keys, effects')
  one = await startProcess(env, { poolSize: 8 })
})
afterEach(() => one.kit.stop())

const request: IdempotentRequest = { scope: 'app_1 POST /things', key: 'k-1', fingerprint: 'f-1' }
const effects = async () => (await env.sql('consent').query('select name from effects')).rows.map(({ name }) => name)

/** An effect whose answer is never the same twice. */
const effect =
  (name: string) =>
  async (run: Run): Promise<Reply> => {
    const [row] = await run<{ id: number }>('insert into effects (name) values ($1) returning id', [name])
    return new Reply(201, `{ "id": ${row!.id} }`)
  }

test('a repeated request gets the first answer again, byte for byte, and says so', async () => {
  const first = await runIdempotently(one.db, request, effect('a'))
  const again = await runIdempotently(one.db, request, effect('a'))
  expect(first.headers).toEqual({})
  expect(again).toEqual(new Reply(201, first.text, { 'Idempotent-Replayed': 'true' }))
  expect(await effects()).toEqual(['a'])
})

test('of twins at the same moment one has its effect, and all get its answer', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => runIdempotently(one.db, request, effect('a'))))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies.filter(({ headers }) => !headers['Idempotent-Replayed'])).toHaveLength(1)
  expect(await effects()).toEqual(['a'])
})

test('the same key with another body is idempotency_conflict', async () => {
  await runIdempotently(one.db, request, effect('a'))
  const other = runIdempotently(one.db, { ...request, fingerprint: 'f-2' }, effect('b'))
  await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict' })
  expect(await effects()).toEqual(['a'])
})

test.each([
  ['another scope', { ...request, scope: 'app_2 POST /things' }],
  ['another key', { ...request, key: 'k-2' }],
])('a request of %s is another request', async (_what, other) => {
  await runIdempotently(one.db, request, effect('a'))
  await runIdempotently(one.db, other, effect('b'))
  expect(await effects()).toEqual(['a', 'b'])
})

test('an effect that fails leaves no record: the repetition tries again', async () => {
  const failing = runIdempotently(one.db, request, async (run) => {
    await effect('a')(run)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await effects()).toEqual([])
  const { headers } = await runIdempotently(one.db, request, effect('b'))
  expect(headers).toEqual({})
  expect(await effects()).toEqual(['b'])
})

test('when the first of two twins fails, the second has its effect', async () => {
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const first = runIdempotently(one.db, request, async () => {
    begun.resolve()
    await may.promise
    throw new Error('no')
  })
  const failed = expect(first).rejects.toThrow('no')
  await begun.promise
  const second = runIdempotently(one.db, request, effect('b'))
  may.resolve()
  await failed
  expect((await second).status).toBe(201)
  expect(await effects()).toEqual(['b'])
})

test('after its time a key may be used for something else', async () => {
  await runIdempotently(one.db, request, effect('a'))
  await env.sql('consent').query(`update idempotency_keys set expires_at = now() - interval '1 second'`)
  const { headers } = await runIdempotently(one.db, { ...request, fingerprint: 'f-2' }, effect('b'))
  expect(headers).toEqual({})
  const again = await runIdempotently(one.db, { ...request, fingerprint: 'f-2' }, effect('c'))
  expect(again.headers).toEqual({ 'Idempotent-Replayed': 'true' })
  expect(await effects()).toEqual(['a', 'b'])
})

test('a key is kept for 24 hours', async () => {
  await runIdempotently(one.db, request, effect('a'))
  const { rows } = await env
    .sql('consent')
    .query(`select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys`)
  expect(Number(rows[0].hours)).toBeCloseTo(24, 1)
})

test('a twin that waited in vain is told that the first is under way, and the first goes on', async () => {
  const impatient: Queries = {
    run: one.db.run,
    transaction: (work) =>
      one.db.transaction(async (run) => {
        await run(`set local lock_timeout = '100ms'`)
        return work(run)
      }),
  }
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const first = runIdempotently(one.db, request, async (run) => {
    begun.resolve()
    await may.promise
    return effect('a')(run)
  })
  await begun.promise
  const twin = runIdempotently(impatient, request, effect('b'))
  await expect(twin).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  may.resolve()
  expect((await first).status).toBe(201)
  expect(await effects()).toEqual(['a'])
})

test('only keys whose time is over are deleted, in portions', async () => {
  await runIdempotently(one.db, request, effect('a'))
  await env.sql('consent').query(
    `insert into idempotency_keys (scope, key, fingerprint, status, response, expires_at)
     select 'old', n::text, 'f', 201, '', now() - interval '1 minute' from generate_series(1, 1500) n`,
  )
  expect(await deleteExpiredKeys(one.db)).toBe(true)
  expect(await deleteExpiredKeys(one.db)).toBe(false)
  await eventually(async () => {
    const { rows } = await env.sql('consent').query('select key from idempotency_keys')
    expect(rows).toEqual([{ key: 'k-1' }])
  })
})

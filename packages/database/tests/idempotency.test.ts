import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { Problem, Reply } from '@notify/service-kit'
import { deleteExpiredKeys, type KeyedRequest } from '../src/idempotency/key-store.ts'
import { type Result, runIdempotently } from '../src/idempotency/run-idempotently.ts'
import { idempotencyTables } from '../src/idempotency/tables.ts'
import type { Queries, Run } from '../src/open.ts'
import { makeTables, type Process, startProcess } from './schema.ts'

let env: TestEnv
let one: Process

beforeAll(async () => {
  env = await TestEnv.start([])
  await makeTables(env, idempotencyTables)
  const { db, kit } = await startProcess(env)
  await db.run('create table effects (id int generated always as identity, name text)')
  await kit.stop()
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate idempotency_keys, effects')
  one = await startProcess(env, { poolSize: 8 })
})
afterEach(() => one.kit.stop())

const request: KeyedRequest = { scope: 'app_1 POST /things', key: 'k-1', fingerprint: 'f-1' }
type Options = Parameters<typeof runIdempotently>[3]
const effects = async () => (await env.sql('consent').query('select name from effects')).rows.map(({ name }) => name)

/** An effect with another answer each time. */
const effect =
  (name: string) =>
  async (run: Run): Promise<Reply> => {
    const [row] = await run<{ id: number }>('insert into effects (name) values ($1) returning id', [name])
    return new Reply(201, `{ "id": ${row!.id} }`)
  }

/** A wait that suffices for concurrent requests even on a busy machine. */
const patient = { waitMs: 25_000 }

/** Runs an effect without preparation. */
const once = (db: Queries, one: KeyedRequest, work: (run: Run) => Promise<Result>, options?: Options) =>
  runIdempotently(db, one, { prepare: async () => undefined, effect: work }, options)

test('a repeated request gets the first answer again, byte for byte, marked as replayed', async () => {
  const first = await once(one.db, request, effect('a'))
  const again = await once(one.db, request, effect('a'))
  expect(first.headers).toEqual({})
  expect(again).toEqual(new Reply(201, first.text, { 'Idempotent-Replayed': 'true' }))
  expect(await effects()).toEqual(['a'])
})

test('one of several concurrent requests has its effect, and all get its answer', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => once(one.db, request, effect('a'))))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies.filter(({ headers }) => !headers['Idempotent-Replayed'])).toHaveLength(1)
  expect(await effects()).toEqual(['a'])
})

test('the same key with another body is idempotency_conflict', async () => {
  await once(one.db, request, effect('a'))
  const other = once(one.db, { ...request, fingerprint: 'f-2' }, effect('b'))
  await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict' })
  expect(await effects()).toEqual(['a'])
})

test.each([
  ['another scope', { ...request, scope: 'app_2 POST /things' }],
  ['another key', { ...request, key: 'k-2' }],
])('a request of %s is another request', async (_what, other) => {
  await once(one.db, request, effect('a'))
  await once(one.db, other, effect('b'))
  expect(await effects()).toEqual(['a', 'b'])
})

test('an effect that fails leaves no record: the repetition tries again', async () => {
  const failing = once(one.db, request, async (run) => {
    await effect('a')(run)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await effects()).toEqual([])
  const { headers } = await once(one.db, request, effect('b'))
  expect(headers).toEqual({})
  expect(await effects()).toEqual(['b'])
})

test('if the first of two concurrent requests fails, the second has its effect', async () => {
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const first = once(one.db, request, async () => {
    begun.resolve()
    await may.promise
    throw new Error('no')
  })
  const failed = expect(first).rejects.toThrow('no')
  await begun.promise
  const second = once(one.db, request, effect('b'))
  may.resolve()
  await failed
  expect((await second).status).toBe(201)
  expect(await effects()).toEqual(['b'])
})

test('an expired key may be used for another request', async () => {
  await once(one.db, request, effect('a'))
  await env.sql('consent').query(`update idempotency_keys set expires_at = now() - interval '1 second'`)
  const { headers } = await once(one.db, { ...request, fingerprint: 'f-2' }, effect('b'))
  expect(headers).toEqual({})
  const again = await once(one.db, { ...request, fingerprint: 'f-2' }, effect('c'))
  expect(again.headers).toEqual({ 'Idempotent-Replayed': 'true' })
  expect(await effects()).toEqual(['a', 'b'])
})

test('a key is kept for 24 hours', async () => {
  await once(one.db, request, effect('a'))
  const { rows } = await env
    .sql('consent')
    .query(`select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys`)
  expect(Number(rows[0].hours)).toBeCloseTo(24, 1)
})

test('a request that waits too long for the first one gets idempotency_in_progress, and the first continues', async () => {
  const { begun, first, finish } = holdOpen(one)
  await begun
  const twin = once(one.db, request, effect('b'), { waitMs: 50 })
  await expect(twin).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  finish()
  expect((await first).status).toBe(201)
  expect(await effects()).toEqual(['a'])
})

/** Starts a request whose transaction stays open until it may finish. */
function holdOpen({ db }: Process) {
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const first = once(db, request, async (run) => {
    begun.resolve()
    await may.promise
    return effect('a')(run)
  })
  return { begun: begun.promise, first, finish: () => may.resolve() }
}

describe('with one connection', () => {
  let narrow: Process
  beforeEach(async () => {
    narrow = await startProcess(env, { poolSize: 1 })
  })
  afterEach(() => narrow.kit.stop())

  test('a hundred requests with one key, and others with their own keys, are all answered', async () => {
    // Few others: the last of those that wait for the connection has five seconds.
    const keys = Array.from({ length: 104 }, (_, at) => (at < 100 ? 'twin' : `k-${at}`))
    const replies = await Promise.all(keys.map((key) => once(narrow.db, { ...request, key }, effect(key), patient)))
    expect(replies.map(({ status }) => status)).toEqual(keys.map(() => 201))
    expect(replies.filter(({ headers }) => headers['Idempotent-Replayed'])).toHaveLength(99)
    expect(await effects()).toHaveLength(5)
  })

  test('neither preparing nor waiting requests hold the connection', async () => {
    const begun = Promise.withResolvers<void>()
    const may = Promise.withResolvers<void>()
    const work = {
      async prepare() {
        begun.resolve()
        await may.promise
        return narrow.db.run<{ prepared: boolean }>('select true as prepared')
      },
      effect: async (run: Run) => effect('a')(run),
    }
    const twins = Array.from({ length: 20 }, () => runIdempotently(narrow.db, request, work, patient))
    await begun.promise
    expect((await once(narrow.db, { ...request, key: 'k-2' }, effect('b'))).status).toBe(201)
    may.resolve()
    await Promise.all(twins)
    expect(await effects()).toEqual(['b', 'a'])
  })

  test('a request that waits for another process holds no connection', async () => {
    const { begun, first, finish } = holdOpen(one)
    await begun
    const twins = Array.from({ length: 20 }, () => once(narrow.db, request, effect('b'), patient))
    expect((await once(narrow.db, { ...request, key: 'k-2' }, effect('c'))).status).toBe(201)
    finish()
    const texts = (await Promise.all([first, ...twins])).map(({ text }) => text)
    expect(new Set(texts).size).toBe(1)
    expect(await effects()).toEqual(['c', 'a'])
  })
})

test('one of the concurrent requests in two processes has its effect, and all get its answer', async () => {
  const other = await startProcess(env, { poolSize: 2 })
  const calls = Array.from({ length: 20 }, (_, at) => once((at % 2 ? one : other).db, request, effect('a'), patient))
  expect(new Set((await Promise.all(calls)).map(({ text }) => text)).size).toBe(1)
  expect(await effects()).toEqual(['a'])
  await other.kit.stop()
})

test("a refusal caused by a concurrent request of another process is replaced by that request's answer", async () => {
  const other = await startProcess(env, { poolSize: 1 })
  const reply = await runIdempotently(one.db, request, {
    async prepare() {
      await once(other.db, request, effect('a'))
      throw new Problem('domain_exists', 'It is there already')
    },
    effect: effect('b'),
  })
  expect([reply.status, reply.headers]).toEqual([201, { 'Idempotent-Replayed': 'true' }])
  expect(await effects()).toEqual(['a'])
  await other.kit.stop()
})

test('a repetition continues an unfinished request from its stored state, until the answer is final', async () => {
  const seen: (string | undefined)[] = []
  const call = (result: Result) =>
    runIdempotently(one.db, request, {
      prepare: async (done) => void seen.push(done),
      effect: async (run) => {
        await effect('part')(run)
        return result
      },
    })
  const partly = new Reply(202, 'partly')
  expect(await call({ reply: partly, done: 'one of three' })).toBe(partly)
  expect(await call({ reply: partly, done: 'two of three' })).toBe(partly)
  const conflict = once(one.db, { ...request, fingerprint: 'f-2' }, effect('b'))
  await expect(conflict).rejects.toMatchObject({ code: 'idempotency_conflict' })
  await call(new Reply(202, 'all'))
  expect(await call(new Reply(202, 'never'))).toEqual(new Reply(202, 'all', { 'Idempotent-Replayed': 'true' }))
  expect(seen).toEqual([undefined, 'one of three', 'two of three'])
  expect(await effects()).toEqual(['part', 'part', 'part'])
})

test('work after the commit gives the final answer; while it fails, a repetition continues from the stored state', async () => {
  const seen: (string | undefined)[] = []
  const call = (finish: () => Promise<Reply>) =>
    runIdempotently(one.db, request, {
      prepare: async (done) => void seen.push(done),
      effect: async (run) => {
        await effect('part')(run)
        return { done: 'committed', finish }
      },
    })
  const busy = new Problem('service_unavailable', 'Not now')
  await expect(call(() => Promise.reject(busy))).rejects.toBe(busy)
  expect((await call(async () => new Reply(200, 'sent'))).text).toBe('sent')
  const never = await call(async () => new Reply(200, 'never'))
  expect(never).toEqual(new Reply(200, 'sent', { 'Idempotent-Replayed': 'true' }))
  expect(seen).toEqual([undefined, 'committed'])
})

test('if two repetitions finish one request, the second returns the answer of the first', async () => {
  const reply = await runIdempotently(one.db, request, {
    prepare: async () => {},
    effect: async () => ({
      done: 'committed',
      async finish() {
        const twin = await startProcess(env, { poolSize: 1 })
        await once(twin.db, request, async () => new Reply(200, 'of the twin'))
        await twin.kit.stop()
        return new Reply(200, 'mine')
      },
    }),
  })
  expect(reply).toEqual(new Reply(200, 'of the twin', { 'Idempotent-Replayed': 'true' }))
})

test('a refusal commits its effect, and is not stored', async () => {
  const refuse = new Problem('otp_invalid_code', 'The code is wrong')
  for (const name of ['a', 'b']) {
    const refused = once(one.db, request, async (run) => {
      await effect(name)(run)
      return { refuse }
    })
    await expect(refused).rejects.toBe(refuse)
  }
  expect(await effects()).toEqual(['a', 'b'])
})

test.each([404, 503])('an answer of %d is not stored, and its effect is rolled back', async (status) => {
  const refused = once(one.db, request, async (run) => {
    await effect('a')(run)
    return new Reply(status, '{}')
  })
  await expect(refused).rejects.toThrow(String(status))
  expect((await once(one.db, request, effect('b'))).headers).toEqual({})
  expect(await effects()).toEqual(['b'])
})

test('a sealed answer is readable only in a repetition', async () => {
  const seal = {
    seal: (text: string) => Buffer.from(text).toString('hex'),
    open: (sealed: string) => Buffer.from(sealed, 'hex').toString(),
  }
  const secret = async () => new Reply(201, '{"secret":"Rumpelstilzchen"}')
  await once(one.db, request, secret, { seal })
  const { rows } = await env.sql('consent').query('select response from idempotency_keys')
  expect(rows[0].response).toMatch(/^[0-9a-f]+$/)
  expect((await once(one.db, request, secret, { seal })).text).toBe('{"secret":"Rumpelstilzchen"}')
})

test('a record that is renewed while expired ones are deleted stays', async () => {
  await once(one.db, request, effect('a'))
  await env.sql('consent').query(`update idempotency_keys set expires_at = now() - interval '1 second'`)
  const { begun, first, finish } = holdOpen(one)
  await begun
  const other = await startProcess(env, { poolSize: 1 })
  const deleted = deleteExpiredKeys(other.db)
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%delete from idempotency_keys%'`
    expect((await env.admin.query(waiting)).rows).toHaveLength(1)
  })
  finish()
  await Promise.all([first, deleted])
  const again = await once(one.db, request, effect('b'))
  expect(again.headers).toEqual({ 'Idempotent-Replayed': 'true' })
  await other.kit.stop()
})

test('only expired keys are deleted, in batches', async () => {
  await once(one.db, request, effect('a'))
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

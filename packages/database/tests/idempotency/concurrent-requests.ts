import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Problem, Reply } from '@notify/service-kit'
import { runIdempotently } from '../../src/idempotency/run-idempotently.ts'
import type { Run } from '../../src/open.ts'
import { type Process, startProcess } from '../schema.ts'
import { effect, effects, env, holdOpen, once, one, request } from './stack.ts'

/** A wait that suffices for concurrent requests even on a busy machine. */
const patient = { waitMs: 25_000 }

test('one of several concurrent requests has its effect, and all get its answer', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => once(one.db, request, effect('a'))))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies.filter(({ headers }) => !headers['Idempotent-Replayed'])).toHaveLength(1)
  expect(await effects()).toEqual(['a'])
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

test('a request that waits too long for the first one gets idempotency_in_progress, and the first continues', async () => {
  const { begun, first, finish } = holdOpen(one)
  await begun
  const twin = once(one.db, request, effect('b'), { waitMs: 50 })
  await expect(twin).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  finish()
  expect((await first).status).toBe(201)
  expect(await effects()).toEqual(['a'])
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

test('a refusal after the commit leaves the record of a repetition that has continued the request meanwhile', async () => {
  const refuse = new Problem('recipient_suppressed', 'Not to this one')
  const refused = once(one.db, request, async () => ({
    done: 'committed',
    async finish() {
      const twin = await startProcess(env, { poolSize: 1 })
      await once(twin.db, request, async () => ({ reply: new Reply(202, 'partly'), done: 'of the twin' }))
      await twin.kit.stop()
      return { refuse }
    },
  }))
  await expect(refused).rejects.toBe(refuse)
  const seen: (string | undefined)[] = []
  await runIdempotently(one.db, request, { prepare: async (done) => void seen.push(done), effect: effect('a') })
  expect(seen).toEqual(['of the twin'])
})

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

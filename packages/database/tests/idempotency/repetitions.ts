import { expect, test } from '@jest/globals'
import { Problem, Reply } from '@notify/service-kit'
import { type Result, runIdempotently } from '../../src/idempotency/run-idempotently.ts'
import { effect, effects, env, once, one, request } from './stack.ts'

test('a repeated request gets the first answer again, byte for byte, marked as replayed', async () => {
  const first = await once(one.db, request, effect('a'))
  const again = await once(one.db, request, effect('a'))
  expect(first.headers).toEqual({})
  expect(again).toEqual(new Reply(201, first.text, { 'Idempotent-Replayed': 'true' }))
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

test('a refusal commits its effect, and is not stored: its key may be used for another body', async () => {
  const refuse = new Problem('otp_invalid_code', 'The code is wrong')
  for (const name of ['a', 'b']) {
    const refused = once(one.db, request, async (run) => {
      await effect(name)(run)
      return { refuse }
    })
    await expect(refused).rejects.toBe(refuse)
  }
  expect((await once(one.db, { ...request, fingerprint: 'f-2' }, effect('c'))).headers).toEqual({})
  expect(await effects()).toEqual(['a', 'b', 'c'])
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

test('work after the commit may refuse: the effect stays, and the key may be used for another body', async () => {
  const refuse = new Problem('recipient_suppressed', 'Not to this one')
  let sealed = 0
  const seal = { seal: (text: string) => `${++sealed} ${text}`, open: (text: string) => text.replace(/^\d+ /, '') }
  const refused = once(
    one.db,
    request,
    async (run) => {
      await effect('a')(run)
      return { done: 'committed', finish: async () => ({ refuse }) }
    },
    { seal },
  )
  await expect(refused).rejects.toBe(refuse)
  expect((await once(one.db, { ...request, fingerprint: 'f-2' }, effect('b'))).headers).toEqual({})
  expect(await effects()).toEqual(['a', 'b'])
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

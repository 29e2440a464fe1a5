import { expect, test } from '@jest/globals'
import { UnansweredWrites, withKeyOf, withNewKey } from './unanswered-writes.ts'

/** Sends a write. @returns its key */
async function keyOf(writes: UnansweredWrites, path: string, status: number | 'none', init: RequestInit = {}) {
  const request = new Request(`http://x/api/v1/${path}`, { method: 'POST', body: '{"n":1}', ...init })
  let key: string | null = null
  const sent = writes.send(request, async (keyed) => {
    key = keyed.headers.get('idempotency-key')
    expect(await keyed.text()).toBe(init.body ?? '{"n":1}')
    if (status === 'none') throw new Error('no answer')
    return new Response(null, { status })
  })
  await sent.catch(() => undefined)
  return key
}

/** Sends a write whose answer waits for `end`. */
function holdWrite(writes: UnansweredWrites, path: string) {
  const key = Promise.withResolvers<string | null>()
  const status = Promise.withResolvers<number>()
  const sent = writes.send(
    new Request(`http://x/api/v1/${path}`, { method: 'POST', body: '{"n":1}' }),
    async (keyed) => {
      key.resolve(keyed.headers.get('idempotency-key'))
      return new Response(null, { status: await status.promise })
    },
  )
  return {
    key: key.promise,
    end(answered: number) {
      status.resolve(answered)
      return sent
    },
  }
}

// 409: the first one is still under way, for example.
test.each(['none', 503, 409] as const)(
  'a write that ended with %s is repeated with its key, another content or address not',
  async (end) => {
    const writes = new UnansweredWrites()
    const key = await keyOf(writes, 'a', end)
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    expect(await keyOf(writes, 'a', end)).toBe(key)
    expect(await keyOf(writes, 'a', end, { body: '{"n":2}' })).not.toBe(key)
    expect(await keyOf(writes, 'a/b', end)).not.toBe(key)
    expect(await keyOf(writes, 'a', end)).toBe(key)
  },
)

test.each([200, 201, 202])('after %d the same content is another write', async (status) => {
  const writes = new UnansweredWrites()
  const key = await keyOf(writes, 'a', status)
  expect(await keyOf(writes, 'a', status)).not.toBe(key)
})

test('after the success of another write of its collection the same content is another write', async () => {
  const writes = new UnansweredWrites()
  const first = await keyOf(writes, 'providers', 503)
  await keyOf(writes, 'domains', 201)
  await keyOf(writes, 'providers/prov_1', 503, { method: 'PATCH' })
  const second = await keyOf(writes, 'providers', 503)
  expect(second).toBe(first)
  await keyOf(writes, 'providers/prov_1', 200, { method: 'PATCH' })
  expect(await keyOf(writes, 'providers', 201)).not.toBe(first)
})

test('the success of another write does not touch the key of one that is under way', async () => {
  const writes = new UnansweredWrites()
  let key: string | null = null
  const lost = writes.send(new Request('http://x/api/v1/a', { method: 'POST', body: '{"n":1}' }), async (keyed) => {
    key = keyed.headers.get('idempotency-key')
    await keyOf(writes, 'a/b', 200)
    throw new Error('no answer')
  })
  await lost.catch(() => undefined)
  expect(await keyOf(writes, 'a', 201)).toBe(key)
})

test('equal writes that are under way together have one key, and none keeps it once one of them succeeded', async () => {
  const writes = new UnansweredWrites()
  const first = holdWrite(writes, 'a')
  const second = holdWrite(writes, 'a')
  const key = await first.key
  expect(await second.key).toBe(key)
  await second.end(409)
  expect(await keyOf(writes, 'a', 409)).toBe(key)
  const third = holdWrite(writes, 'a')
  expect(await third.key).toBe(key)
  await first.end(200)
  const next = await keyOf(writes, 'a', 503)
  expect(next).not.toBe(key)
  await third.end(200)
  expect(await keyOf(writes, 'a', 503)).toBe(next)
})

test('a write with its own key is sent with it, and makes no other write a new one', async () => {
  const writes = new UnansweredWrites()
  const key = await keyOf(writes, 'providers/prov_1/test-message', 503)
  const tested = await keyOf(writes, 'providers/prov_1/test', 200, { headers: withNewKey() })
  expect(await keyOf(writes, 'providers/prov_1/test', 200, { headers: withNewKey() })).not.toBe(tested)
  expect(await keyOf(writes, 'providers/prov_1/test', 200, { headers: withKeyOf('seen-1') })).toBe('seen-1')
  expect(await keyOf(writes, 'providers/prov_1/test-message', 503)).toBe(key)
  writes.forget('providers')
  expect(await keyOf(writes, 'providers/prov_1/test-message', 503)).not.toBe(key)
})

test('a key is forgotten after ten minutes', async () => {
  let nowMs = 0
  const writes = new UnansweredWrites(() => nowMs)
  const key = await keyOf(writes, 'a', 503)
  nowMs = 600_000
  expect(await keyOf(writes, 'a', 503)).not.toBe(key)
})

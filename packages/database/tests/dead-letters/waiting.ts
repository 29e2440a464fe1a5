import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { readable } from '@notify/messaging'
import { createDeadLetterStore } from '../../src/dead-letters/dead-letter-store.ts'
import { due, letters, newest, one, own, publish, restart, run, serve, settled } from './stack.ts'

/** The letter is due, has this age, is tried again and still waits; it may have been tried by itself before. */
async function triedAgain(age: string): Promise<void> {
  const [{ tries }] = await letters('tries')
  await due(age)
  await eventually(async () => {
    const [letter] = await letters('tries, state')
    expect(letter).toEqual({ tries: expect.any(Number), state: 'waiting' })
    expect(letter.tries).toBeGreaterThan(tries)
  })
}

test('an event of a newer release waits as a dead letter, blocks nothing, and the newer release handles it once', async () => {
  const handled = serve()
  const { seq } = await publish({ kind: 'c', n: 1 })
  await publish({ kind: 'a', n: 2, added: { by: 'a newer release' } })
  await settled()
  expect(handled.map(({ n }) => n)).toEqual([2])
  expect(await letters()).toEqual([
    {
      event_id: `CONSENT:${seq}:0`,
      state: 'waiting',
      reason: expect.stringMatching(/^the event does not match .* kind /),
    },
  ])
  await triedAgain('23 hours')
  expect(one.kit.counted('consumer_events_total', { result: 'dead' })).toBe(0)

  await restart()
  const heardThen = serve({ schema: newest })
  await due()
  await eventually(() => expect(heardThen).toEqual([{ n: 1, id: `CONSENT:${seq}:0` }]))
  await eventually(async () => expect(await letters()).toEqual([]))
})

test('more unreadable events than the ack limit of JetStream do not block those behind them', async () => {
  const handled = serve()
  const unknown = Array.from({ length: 300 }, (_, n) => ({ kind: 'c', n }))
  for (let message = 0; message < 4; message++) await publish(...unknown)
  for (let message = 0; message < 1100; message++) await one.bus.js.publish(own.subject, 'no JSON')
  await publish({ kind: 'a', n: 7 })
  await eventually(() => expect(handled.map(({ n }) => n)).toEqual([7]))
  await settled()
  const { rows } = await run(`select count(*)::int as count from dead_letters where state = 'waiting'`)
  expect(rows).toEqual([{ count: 2300 }])
})

test('an event that was unreadable for a day is dead, and counted', async () => {
  serve()
  await publish({ kind: 'c', n: 1 })
  await settled()
  await due('24 hours')
  await eventually(async () =>
    expect(await letters('state, next_try_at')).toEqual([{ state: 'dead', next_try_at: null }]),
  )
  await eventually(() => expect(one.kit.counted('consumer_events_total', { result: 'dead' })).toBe(1))
  expect(await one.kit.gauges.get('dead_letters')?.()).toEqual([
    { value: 1, attributes: { durable: `consent-${own.name}`, state: 'dead' } },
  ])
})

test('an event whose content cannot be decrypted waits for its key, at most for a day', async () => {
  let key = false
  const handled = serve({
    handle: () => {
      readable('it is encrypted with a key that is not here', () => {
        if (!key) throw new Error('the ciphertext was made with a key that ENCRYPTION_KEYS does not hold')
      })
    },
  })
  await publish({ kind: 'a', n: 1 }, { kind: 'a', n: 2 })
  await settled()
  expect((await letters('state, reason')).map(({ reason }) => reason)).toEqual(
    Array(2).fill('it is encrypted with a key that is not here'),
  )
  // The second one is tried when the test says so.
  await run(`update dead_letters set next_try_at = now() + interval '1 hour'`)
  await run(`update dead_letters set next_try_at = now(), retry_until = now() where event_id like '%:0'`)
  await eventually(async () => expect((await letters('state')).map(({ state }) => state)).toEqual(['dead', 'waiting']))
  key = true
  await due()
  await eventually(async () => expect((await letters('state')).map(({ state }) => state)).toEqual(['dead']))
  expect(handled.map(({ n }) => n).filter((n) => n === 2)).toHaveLength(2)
})

test('a message that is not JSON waits whole; a handler that can parse it handles each of its events', async () => {
  serve()
  const { seq } = await one.bus.js.publish(own.subject, 'no JSON \0')
  await settled()
  expect(await letters('event_id, event, whole_message, state')).toEqual([
    { event_id: `CONSENT:${seq}`, event: 'no JSON \ufffd', whole_message: true, state: 'waiting' },
  ])
  await restart()
  const handled = serve()
  const events = [{ event: { kind: 'a', n: 1 } }, { event: { kind: 'c', n: 2 } }]
  await run(`update dead_letters set event = $1`, [JSON.stringify(events)])
  await due()
  await eventually(async () =>
    expect(await letters()).toMatchObject([{ event_id: `CONSENT:${seq}:1`, state: 'waiting' }]),
  )
  expect(handled).toEqual([{ n: 1, id: `CONSENT:${seq}:0` }])
})

test('a temporary failure keeps a waiting event alive, however old it is', async () => {
  let away = true
  const handled = serve({
    schema: newest,
    handle: () => {
      if (away) throw new Error('database away')
    },
  })
  await createDeadLetterStore(one.kit, one.db).keep({
    durable: `consent-${own.name}`,
    owner: '',
    eventId: 'e:0',
    subject: own.subject,
    event: '{"kind":"c","n":1}',
    reason: 'not read by the release before',
    retryUntil: new Date(0),
  })
  await due()
  await eventually(async () => expect(await letters()).toMatchObject([{ state: 'waiting', reason: 'database away' }]))
  away = false
  await due()
  await eventually(async () => expect(await letters()).toEqual([]))
  expect(handled.length).toBeGreaterThan(1)
})

test('an event whose handler keeps failing leaves the stream before the stream drops it, and is handled when that succeeds', async () => {
  let broken = true
  const handled = serve({
    failingMs: 300,
    handle: (n) => {
      if (broken && n === 2) throw new Error('a constraint refuses it')
    },
  })
  await publish({ kind: 'a', n: 1 }, { kind: 'a', n: 2 })
  await settled()
  expect(handled.filter(({ n }) => n === 2).length).toBeGreaterThanOrEqual(5)
  expect(await letters()).toEqual([
    { event_id: expect.stringMatching(/:1$/), state: 'waiting', reason: 'a constraint refuses it' },
  ])
  await triedAgain('48 hours')
  broken = false
  await due()
  await eventually(async () => expect(await letters()).toEqual([]))
})

test('an event that fails temporarily stays on the stream', async () => {
  let failures = 20
  const handled = serve({
    handle: () => {
      if (failures-- > 0) throw new Error('database away')
    },
  })
  await publish({ kind: 'a', n: 1 })
  await settled()
  expect(handled).toHaveLength(21)
  expect(await letters()).toEqual([])
})

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import {
  type ConsumerEntry,
  consumer,
  PermanentError,
  provisionStream,
  readable,
  startConsumers,
} from '@notify/messaging'
import { type Topic, topic } from '@notify/test-kit/topic'
import { z } from 'zod'
import { createDeadLetterStore } from '../src/dead-letters/dead-letter-store.ts'
import { runDeadLetterCommand } from '../src/dead-letters/run-command.ts'
import { deadLetterTables } from '../src/dead-letters/tables.ts'
import { type BusProcess, startBusProcess } from './outbox.ts'
import { makeTables } from './schema.ts'

let env: TestEnv
let one: BusProcess
let own: Topic

beforeAll(async () => {
  env = await TestEnv.start([])
  await makeTables(env, deadLetterTables)
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate dead_letters')
  own = topic()
  await start()
})
afterEach(() => one.kit.stop())

const run = (text: string, values: unknown[] = []) => env.sql('consent').query(text, values)
const letters = async (columns = 'event_id, state, reason') =>
  (await run(`select ${columns} from dead_letters order by event_id`)).rows
/** Moves time: waiting letters are due now, and have the given age. */
const due = (age = '0s') =>
  run(`update dead_letters set next_try_at = now(), retry_until = retry_until - $1::interval where state = 'waiting'`, [
    age,
  ])

async function start(): Promise<void> {
  one = await startBusProcess(env)
  await provisionStream(one.bus, 'consent', 1)
}

/** The next release, or the same one again. */
async function restart(): Promise<void> {
  await one.kit.stop()
  await start()
}

const newest = z.object({ kind: z.enum(['a', 'b', 'c']), n: z.number() })

/** A release of the service, with what it can read and what its handler does. */
function serve(options: { schema?: z.ZodType; handle?: (n: number) => void; failingMs?: number } = {}) {
  const handled: { n: number; id: string }[] = []
  const event = { ...own.event, schema: options.schema ?? own.event.schema }
  const entry = consumer<undefined, z.ZodType>(event, {
    durable: `consent-${own.name}`,
    concurrency: 4,
    retry: ['50ms'],
    async handle(_context, payload, { eventId }) {
      const { n } = payload as { n: number }
      handled.push({ n, id: eventId })
      options.handle?.(n)
    },
  })
  startConsumers<undefined>(one.kit, one.bus, {
    context: undefined,
    consumers: [entry as ConsumerEntry<undefined>],
    deadLetters: createDeadLetterStore(one.kit, one.db),
    lettersEveryMs: 100,
    ...(options.failingMs !== undefined && { failingMs: options.failingMs }),
  })
  return handled
}

const publish = (...events: unknown[]) =>
  one.bus.js.publish(own.subject, JSON.stringify(events.map((event) => ({ event }))))
const settled = () =>
  eventually(async () => {
    const { num_pending, num_ack_pending } = await one.bus.jsm.consumers.info('CONSENT', `consent-${own.name}`)
    expect([num_pending, num_ack_pending]).toEqual([0, 0])
  })

/** `main.ts dead-letters …` */
async function command(...args: string[]): Promise<Record<string, unknown>[]> {
  const lines: string[] = []
  const config = { DATABASE_URL: env.stack.databaseUrl('consent') }
  await runDeadLetterCommand(config, one.kit, args, (line) => void lines.push(line))
  return lines.map((line) => JSON.parse(line))
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
  await due('23 hours')
  await eventually(async () => expect(await letters('tries, state')).toEqual([{ tries: 1, state: 'waiting' }]))
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
  await due('48 hours')
  await eventually(async () => expect(await letters('tries, state')).toEqual([{ tries: 1, state: 'waiting' }]))
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

test('a dead letter is replayed to the handler of its durable, once, and stays as a record', async () => {
  let broken = true
  const handled = serve({
    handle: (n) => {
      if (broken && n < 3) throw new PermanentError('the account is unknown')
    },
  })
  await publish({ kind: 'a', n: 1 }, { kind: 'a', n: 2 }, { kind: 'a', n: 3 })
  await settled()
  expect(await letters('state')).toEqual([{ state: 'dead' }, { state: 'dead' }])
  const listed = await command('list', '--durable', `consent-${own.name}`)
  expect(listed).toMatchObject([{ state: 'dead', reason: 'the account is unknown' }, { state: 'dead' }])
  expect(await command('list', '--durable', 'another')).toEqual([])
  expect(await command('list', '--limit', '1')).toHaveLength(1)
  const { id, second } = Object.fromEntries(
    (await command('show', ...listed.map((letter) => String(letter.id)))).map((letter) => [
      letter.event === '{"kind":"a","n":1}' ? 'id' : 'second',
      String(letter.id),
    ]),
  ) as { id: string; second: string }

  handled.length = 0
  expect(await command('replay', id)).toMatchObject([{ id, state: 'replaying' }])
  await eventually(async () => expect((await command('show', id))[0]).toMatchObject({ state: 'dead', tries: 1 }))
  broken = false
  await command('replay', id)
  await eventually(async () => expect((await command('show', id))[0]).toMatchObject({ state: 'replayed' }))
  expect(handled.map(({ n }) => n)).toEqual([1, 1])
  await expect(command('replay', id)).rejects.toThrow(`nothing to replay: ${id} is replayed`)

  expect(await command('replay', '--durable', `consent-${own.name}`)).toMatchObject([{ id: second }])
  await eventually(async () => expect(await command('list', '--state', 'replayed')).toHaveLength(2))
  expect(handled.map(({ n }) => n)).toEqual([1, 1, 2])
})

test('a discarded letter is neither retried nor counted, and stays as a record', async () => {
  const handled = serve({
    handle: () => {
      throw new PermanentError('the account is unknown')
    },
  })
  await publish({ kind: 'a', n: 1 }, { kind: 'a', n: 2 }, { kind: 'unknown', n: 3 })
  await settled()
  const durable = `consent-${own.name}`
  const [waiting] = await command('list', '--state', 'waiting')
  expect(await command('discard', '--durable', durable, '--limit', '1')).toMatchObject([{ state: 'discarded' }])
  expect(await command('discard', '--durable', durable)).toMatchObject([{ state: 'discarded' }])
  await expect(command('discard', '--durable', durable)).rejects.toThrow(
    `nothing to discard: no letter of ${durable} is dead`,
  )
  const id = String(waiting!.id)
  expect(await command('discard', id)).toMatchObject([{ id, state: 'discarded' }])
  await expect(command('replay', id)).rejects.toThrow(`nothing to replay: ${id} is discarded`)
  expect(await command('list')).toEqual([])
  expect(await command('list', '--state', 'discarded')).toHaveLength(3)
  expect(await one.kit.gauges.get('dead_letters')?.()).toEqual([])
  expect(await letters('next_try_at')).toEqual(Array(3).fill({ next_try_at: null }))
  expect(handled).toHaveLength(2)
})

test('a letter that is discarded during its retry stays discarded', async () => {
  const store = createDeadLetterStore(one.kit, one.db)
  const letter = { durable: 'd', owner: '', eventId: 'e:0', subject: 's', event: '{}', reason: 'unread' }
  await store.keep({ ...letter, retryUntil: new Date(Date.now() + 60_000) })
  await due()
  const [claimed] = await store.claimDue(['d'])
  await command('discard', claimed!.id)
  await store.failed(claimed!, 'failed', 'database away')
  await store.handled(claimed!)
  expect(await letters('state, reason, next_try_at')).toEqual([
    { state: 'discarded', reason: 'unread', next_try_at: null },
  ])
})

test('letters that were replayed or discarded 30 days ago are deleted, and no others', async () => {
  const states = ['waiting', 'dead', 'replaying', 'replayed', 'discarded']
  await run(
    `insert into dead_letters (durable, event_id, subject, event, whole_message, reason, state, updated_at)
     select 'd', state || age, 's', '{}', false, '', state, now() - age * interval '1 day'
     from unnest($1::text[]) as state, unnest(array[29, 31]) as age`,
    [states],
  )
  serve()
  const young = ['discarded29', 'replayed29']
  await eventually(async () =>
    expect((await letters('event_id')).map(({ event_id }) => event_id)).toEqual(
      [...young, 'dead29', 'dead31', 'replaying29', 'replaying31', 'waiting29', 'waiting31'].toSorted(),
    ),
  )
})

test.each([[[]], [['list', 'x']], [['replay']], [['show', 'no-id']], [['list', '--limit', '0']], [['erase', 'all']]])(
  'an incomplete command prints its usage: %j',
  async (args) => {
    await expect(command(...args)).rejects.toThrow(/^(action|ids|limit) .*\nuse:\ndead-letters list /)
  },
)

test('an invalid argument is reported with its value', async () => {
  await expect(command('show', 'no-id')).rejects.toThrow(/^ids contain no-id, which is not the id of a dead letter\n/)
  await expect(command('replay', '--state', 'dead')).rejects.toThrow('--state cannot be used here')
})

test('a waiting letter is listed, and a replay makes it due now', async () => {
  const handled = serve({ handle: () => {} })
  await publish({ kind: 'unknown', n: 1 })
  await eventually(async () => expect(await letters('state')).toEqual([{ state: 'waiting' }]))
  await env.sql('consent').query(`update dead_letters set next_try_at = now() + interval '1 hour', tries = 7`)
  const [letter] = await command('list')
  expect(letter).toMatchObject({ state: 'waiting', tries: 7 })
  expect(await command('replay', String(letter!.id))).toMatchObject([{ state: 'waiting', tries: 0 }])
  await eventually(async () => expect(await letters('tries')).toEqual([{ tries: 1 }]))
  expect(handled).toEqual([])
})

test('a replay without a matching letter is reported', async () => {
  await expect(command('replay', '--durable', 'typo')).rejects.toThrow('nothing to replay: no letter of typo is dead')
})

test('an id without a dead letter is reported', async () => {
  const id = '0199aaaa-0000-7000-8000-000000000000'
  await expect(command('replay', id)).rejects.toThrow(`there is no dead letter ${id}`)
})

test('of two processes that retry at the same moment, one handles the event', async () => {
  const two = await startBusProcess(env)
  const keep = createDeadLetterStore(one.kit, one.db)
  for (let n = 0; n < 150; n++) {
    await keep.keep({
      durable: 'd',
      owner: `ten_${n % 20}`,
      eventId: `e:${n}`,
      subject: 's',
      event: '{}',
      reason: 'unread',
      retryUntil: new Date(Date.now() + 60_000),
    })
  }
  await due()
  const other = createDeadLetterStore(two.kit, two.db)
  const claims = await Promise.all([
    keep.claimDue(['d']),
    other.claimDue(['d']),
    keep.claimDue(['d']),
    keep.claimDue([]),
  ])
  await two.kit.stop()
  const ids = claims.flat().map(({ eventId }) => eventId)
  expect([ids.length, new Set(ids).size]).toEqual([150, 150])
})

test('a thousand letters of one tenant do not delay a letter of another', async () => {
  const store = createDeadLetterStore(one.kit, one.db)
  const letter = { durable: `consent-${own.name}`, subject: own.subject, reason: 'unread', retryUntil: new Date() }
  for (let n = 1; n <= 1000; n++)
    await store.keep({ ...letter, owner: 'ten_a', eventId: `a:${n}`, event: `{"kind":"a","n":${n}}` })
  await due()
  await store.keep({ ...letter, owner: 'ten_b', eventId: 'b:0', event: '{"kind":"a","n":0}' })
  await due()
  await run(`update dead_letters set next_try_at = next_try_at - interval '1 minute' where owner = 'ten_a'`)
  const handled = serve({ schema: newest })
  await eventually(() => expect(handled.length).toBeGreaterThan(200))
  const position = handled.findIndex(({ n }) => n === 0)
  expect(position).toBeGreaterThanOrEqual(0)
  expect(position).toBeLessThan(100)
})

test('a letter is stored once, however often its event fails', async () => {
  const store = createDeadLetterStore(one.kit, one.db)
  const letter = { durable: 'd', owner: '', eventId: 'e:0', subject: 's', event: '{"n":1}', reason: 'broken' }
  await Promise.all([store.keep(letter), store.keep(letter)])
  await store.keep({ ...letter, reason: 'still broken' })
  expect(await letters()).toEqual([{ event_id: 'e:0', state: 'dead', reason: 'broken' }])
})

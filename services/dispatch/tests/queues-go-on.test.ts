import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type CarrierAnswer, noConnection } from '@notify/carriers/sending'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import type { ListedProvider } from '../src/catalogue/providers/provider-directory.ts'
import { channels } from '../src/channels/registry.ts'
import { circuitOpenCode } from '../src/deliver/call/circuit-breaker.ts'
import type { LaneOf } from '../src/deliver/queues/queue-store.ts'
import { runLane } from '../src/deliver/run-lane.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import { createSender, type SendContext, type Sender } from '../src/deliver/send-notification.ts'
import { createThrottle } from '../src/deliver/throttle/throttle.ts'
import { addProviders, createOwnNotifications, type OwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const lane = { lane: 'transactional', channel: 'sms' } as const
const tenantId = newId('ten')
let own: OwnNotifications
beforeAll(() => {
  own = createOwnNotifications(db, tenantId)
})

/** Twelve an hour: once its first turns are used up, the next is minutes away. */
const slow = 1 / 300
async function account(more: Partial<ListedProvider> = {}): Promise<ListedProvider> {
  const id = newId('prov')
  await addProviders(db, tenantId, id)
  const { turn } = createThrottle(db, 'urgent', async () => {})
  if (more.rateLimitPerSecond) while ((await turn(id, more.rateLimitPerSecond)) === 0);
  const known = { id, tenantId, kind: 'twilio', revision: 1, credentials: {} }
  return { ...known, rateLimitPerSecond: null, priority: 1, ...more }
}

const answered = { code: null, message: null, providerMessageId: null, retryAfterMs: null }
const refused = { ...answered, outcome: 'rejected_retryable', code: '20500', message: 'No' } as const
let sent: string[] = []
/** What each provider answers; without an entry it takes the message. */
const answers = new Map<string, CarrierAnswer>()
const openMs = new Map<string, number>()
const busy = new Set<string>()
let duringCall = () => {}
afterEach(() => {
  sent = []
  duringCall = () => {}
  for (const known of [answers, openMs, busy]) known.clear()
})

/** Longer than Vonage and Telnyx take. */
const text = 'Hello '.repeat(260)
const payload = JSON.stringify({ channel: 'sms', to: '+15551230001', text })
const senderOf = (...providers: ListedProvider[]) => createSender(contextOf(providers), lane, () => false)
const contextOf = (providers: ListedProvider[], more: object = {}) =>
  ({
    config: {
      ...{ CONSENT_TIMEOUT: 2000, CARRIER_TIMEOUT: 10_000, HOLD_LIMIT: 60_000 },
      ...{ SEND_RETRY_DELAYS: [60_000, 60_000], UNKNOWN_GRACE: 60_000, UNKNOWN_GRACE_OTP: 10_000 },
    },
    channels,
    db,
    secrets: { keyRing: { decrypt: () => payload } },
    directory: { providers: { list: async () => providers } },
    carriers: {
      circuitOpenMs: ({ id }: ListedProvider) => openMs.get(id) ?? 0,
      isBusy: ({ id }: ListedProvider) => busy.has(id),
      isProbed: () => false,
      async send({ id }: ListedProvider) {
        duringCall()
        if (openMs.has(id)) return { ...refused, code: circuitOpenCode }
        sent.push(id)
        return answers.get(id) ?? { ...answered, outcome: 'accepted' }
      },
    },
    tracer: { start: () => ({ set() {}, end() {} }) },
    metrics: { putBack() {}, attempt() {}, took() {}, carrierSeconds() {} },
    log: { info() {} },
    sentAttempts: { add() {} },
    countFailure() {},
    wakeOutbox() {},
    ...more,
  }) as unknown as SendContext

const queued = async () => (await own.queued(1, lane.lane, lane.channel))[0]!

const claimAndSend = (id: string, ...providers: ListedProvider[]) => claimFor(senderOf(...providers), id)

/** Claims a message and hands it to the sender. */
async function claimFor(sender: Sender, id: string) {
  const { claims } = await sender.claim([{ key: await own.keyOf(id), most: 1 }])
  expect(claims).toMatchObject([{ id }])
  return sender.send(claims[0]!, { traceparent: undefined } as never)
}

/** Adds messages to the queue of the first one. */
async function add(first: string, count: number, to: LaneOf = lane) {
  const ids = await own.queued(count, to.lane, to.channel)
  const { application_id } = await own.keyOf(first)
  for (const table of ['notifications', 'in_flight'])
    await db.run(`update ${table} set application_id = $2 where id = any ($1)`, [ids, application_id])
  return ids
}

/** A message that the first provider has refused, so that the others come next. */
async function refusedBy(...providers: ListedProvider[]) {
  const id = await queued()
  answers.set(providers[0]!.id, refused)
  expect(await claimAndSend(id, ...providers)).toEqual({ kind: 'again' })
  expect((await own.rowOf(id)).failovers).toBe(1)
  answers.clear()
  sent = []
  return id
}

const becomeDue = async (id: string) => {
  await db.run('update notifications set next_attempt_at = now() where id = $1', [id])
  await takeDueNotifications(db, channels)
}
const msUntilDue = async (id: string) => ((await own.rowOf(id)).next_attempt_at as Date).getTime() - Date.now()

test('a message whose provider is at its rate goes by another one of its priority', async () => {
  const [limited, free] = [await account({ rateLimitPerSecond: slow }), await account()]
  const id = await queued()
  expect(await claimAndSend(id, limited, free)).toEqual({ kind: 'answered' })
  expect(sent).toEqual([free.id])
})

test.each<[string, (limited: ListedProvider, other: ListedProvider) => unknown]>([
  ['has a later priority', (_limited, other) => Object.assign(other, { priority: 2 })],
  ['has asked for a pause', (_limited, other) => busy.add(other.id)],
  ['has an open circuit breaker', (_limited, other) => openMs.set(other.id, 3000)],
])('a message whose provider is at its rate waits when the other one %s', async (_what, change) => {
  const [limited, other] = [await account({ rateLimitPerSecond: slow }), await account()]
  change(limited, other)
  const id = await queued()
  expect(await claimAndSend(id, limited, other)).toMatchObject({ kind: 'rate_limited' })
  expect(sent).toEqual([])
  // It keeps its position.
  expect(await own.rowOf(id)).toMatchObject({ status: 'queued', sending: false, next_attempt_at: null })
})

test('when all are at their rates the queue waits for the first turn of any', async () => {
  const accounts = [await account({ rateLimitPerSecond: slow / 10 }), await account({ rateLimitPerSecond: slow })]
  const verdict = await claimAndSend(await queued(), ...accounts)
  expect(verdict).toMatchObject({ kind: 'rate_limited', forMs: expect.any(Number) })
  expect('forMs' in verdict && verdict.forMs).toBeLessThan((1000 / slow) * 2)
})

test('a failover to a provider at its rate does not stop the queue: the message begins again after its next delay', async () => {
  const [free, limited] = [await account(), await account({ rateLimitPerSecond: slow, priority: 2 })]
  const id = await refusedBy(free, limited)
  expect(await claimAndSend(id, free, limited)).toEqual({ kind: 'again' })
  expect(await msUntilDue(id)).toBeLessThanOrEqual(60_000)
  expect(await own.rowOf(id)).toMatchObject({ status: 'queued', sending: false, round_attempts: 1 })
  await becomeDue(id)
  expect(await claimAndSend(id, free, limited)).toEqual({ kind: 'answered' })
  expect(sent).toEqual([free.id])
  expect(await own.rowOf(id)).toMatchObject({ status: 'sent', round_attempts: 2 })
})

test('a failover to a provider at its rate waits for its turn while the first one cannot be called', async () => {
  const [first, limited] = [await account(), await account({ rateLimitPerSecond: slow, priority: 2 })]
  const id = await refusedBy(first, limited)
  openMs.set(first.id, 3000)
  expect(await claimAndSend(id, first, limited)).toMatchObject({ kind: 'rate_limited' })
  expect(await own.rowOf(id)).toMatchObject({ failovers: 1, next_attempt_at: null })
})

test('a message whose provider has no free connection waits a moment with its queue, without an attempt', async () => {
  const [first, second] = [await account(), await account({ priority: 2 })]
  const id = await queued()
  answers.set(first.id, noConnection)
  for (let n = 0; n < 4; n++) {
    expect(await claimAndSend(id, first, second)).toEqual({ kind: 'rate_limited', forMs: 250 })
    expect(await own.rowOf(id)).toMatchObject({ status: 'queued', round_attempts: 0, next_attempt_at: null })
  }
  expect(await own.attemptsOf(id)).toEqual([])
  answers.clear()
  expect(await claimAndSend(id, first, second)).toEqual({ kind: 'answered' })
  expect(sent).toEqual(Array(5).fill(first.id))
})

test('a failover to a provider without a free connection does not stop the queue: the message begins again after its next delay', async () => {
  const [free, full] = [await account(), await account({ priority: 2 })]
  const id = await refusedBy(free, full)
  answers.set(full.id, noConnection)
  expect(await claimAndSend(id, free, full)).toEqual({ kind: 'again' })
  const waiting = { status: 'queued', sending: false, next_attempt_at: expect.any(Date) }
  expect(await own.rowOf(id)).toMatchObject({ ...waiting, failovers: 0, round_attempts: 1 })
  await becomeDue(id)
  expect(await claimAndSend(id, free, full)).toEqual({ kind: 'answered' })
  expect(sent).toEqual([full.id, free.id])
})

const isHeld = async (id: string) => {
  const { application_id } = await own.keyOf(id)
  return (await db.run('select from held_queues where application_id = $1', [application_id])).length > 0
}

test('a failover to a provider with an open circuit breaker does not stop the queue: the message begins again after its next delay', async () => {
  const [ready, down] = [await account(), await account({ priority: 2 })]
  const id = await refusedBy(ready, down)
  openMs.set(down.id, 3000)
  expect(await claimAndSend(id, ready, down)).toEqual({ kind: 'again' })
  const waiting = { status: 'queued', sending: false, next_attempt_at: expect.any(Date) }
  expect(await own.rowOf(id)).toMatchObject({ ...waiting, failovers: 0, round_attempts: 1 })
  expect(await isHeld(id)).toBe(false)
  expect(sent).toEqual([])
})

test('a message whose circuit breaker opens before its call goes at once by a provider that can be called', async () => {
  const [first, second] = [await account(), await account({ priority: 2 })]
  const id = await queued()
  duringCall = () => void openMs.set(first.id, 3000)
  expect(await claimAndSend(id, first, second)).toEqual({ kind: 'again' })
  expect(await isHeld(id)).toBe(false)
  expect(await claimAndSend(id, first, second)).toEqual({ kind: 'answered' })
  expect(sent).toEqual([second.id])
})

test('when all circuit breakers are open the queue waits until the first one permits a probe', async () => {
  const [first, second] = [await account(), await account({ priority: 2 })]
  const id = await refusedBy(first, second)
  openMs.set(first.id, 2000).set(second.id, 3000)
  expect(await claimAndSend(id, first, second)).toMatchObject({ kind: 'unavailable', forMs: 2002 })
  expect(await own.rowOf(id)).toMatchObject({ failovers: 1, next_attempt_at: null })
  expect(await isHeld(id)).toBe(true)
})

describe('a message that only one of two providers can send', () => {
  test('waits while the circuit breaker of that one is open, without using the schedule, and is sent once it closes', async () => {
    const [fit, unfit] = [await account(), await account({ priority: 2, kind: 'vonage' })]
    const id = await queued()
    openMs.set(fit.id, 60_000)
    for (let n = 0; n < 4; n++) {
      expect(await claimAndSend(id, fit, unfit)).toEqual({ kind: 'again' })
      expect(await msUntilDue(id)).toBeGreaterThan(30_000)
      expect(await own.rowOf(id)).toMatchObject({ status: 'queued', round_attempts: 0, held_since: expect.any(Date) })
      await becomeDue(id)
    }
    openMs.clear()
    expect(await claimAndSend(id, fit, unfit)).toEqual({ kind: 'answered' })
    expect(sent).toEqual([fit.id])
  })

  test('fails after HOLD_LIMIT because of that one', async () => {
    const [fit, unfit] = [await account(), await account({ priority: 2, kind: 'vonage' })]
    const id = await queued()
    openMs.set(fit.id, 3000)
    await db.run(`update notifications set held_since = now() - interval '2 minutes' where id = $1`, [id])
    await claimAndSend(id, fit, unfit)
    const failure_reason = 'No provider of this channel was available for too long'
    expect(await own.rowOf(id)).toMatchObject({ status: 'failed', retryable: true, failure_reason })
  })

  test('waits for its turn while that one is at its rate', async () => {
    const [fit, unfit] = [await account({ rateLimitPerSecond: slow }), await account({ kind: 'vonage' })]
    const id = await queued()
    expect(await claimAndSend(id, fit, unfit)).toMatchObject({ kind: 'rate_limited' })
    expect(await own.rowOf(id)).toMatchObject({ status: 'queued', attempt_count: 0, next_attempt_at: null })
  })

  test('waits without using the schedule while that one, which comes second, is at its rate', async () => {
    const [unfit, fit] = [await account({ kind: 'vonage' }), await account({ priority: 2, rateLimitPerSecond: slow })]
    const id = await queued()
    expect(await claimAndSend(id, unfit, fit)).toEqual({ kind: 'again' })
    for (let n = 0; n < 4; n++) {
      expect(await claimAndSend(id, unfit, fit)).toEqual({ kind: 'again' })
      expect(await own.rowOf(id)).toMatchObject({
        status: 'queued',
        round_attempts: 1,
        next_attempt_at: expect.any(Date),
      })
      await becomeDue(id)
    }
    expect(await own.attemptsOf(id)).toMatchObject([{ provider_code: 'text_too_long' }])
  })

  test('waits without using the schedule while the circuit breaker of that one, which comes second, is open', async () => {
    const [unfit, fit] = [await account({ kind: 'vonage' }), await account({ priority: 2 })]
    const id = await queued()
    expect(await claimAndSend(id, unfit, fit)).toEqual({ kind: 'again' })
    openMs.set(fit.id, 60_000)
    for (let n = 0; n < 4; n++) {
      expect(await claimAndSend(id, unfit, fit)).toEqual({ kind: 'again' })
      expect(await msUntilDue(id)).toBeGreaterThan(30_000)
      expect(await own.rowOf(id)).toMatchObject({ status: 'queued', round_attempts: 1, held_since: expect.any(Date) })
      await becomeDue(id)
    }
    openMs.clear()
    expect(await claimAndSend(id, unfit, fit)).toEqual({ kind: 'answered' })
    expect(sent).toEqual([fit.id])
  })

  test('goes at once by that one although it has asked for a pause', async () => {
    const [fit, unfit] = [await account(), await account({ priority: 2, kind: 'vonage' })]
    const id = await queued()
    busy.add(fit.id)
    expect(await claimAndSend(id, fit, unfit)).toEqual({ kind: 'again' })
    expect(await claimAndSend(id, fit, unfit)).toEqual({ kind: 'answered' })
    expect(sent).toEqual([fit.id])
  })

  test('waits for its next delay when that one has refused it', async () => {
    const [fit, unfit] = [await account(), await account({ priority: 2, kind: 'vonage' })]
    const id = await refusedBy(fit, unfit)
    expect(await claimAndSend(id, fit, unfit)).toEqual({ kind: 'answered' })
    expect(await own.rowOf(id)).toMatchObject({ status: 'queued', round_attempts: 1, held_since: null })
    expect(await own.attemptsOf(id)).toMatchObject([{}, { provider_code: 'text_too_long' }])
  })

  test('goes by that one when the text has more segments than the first one takes', async () => {
    const [unfit, fit] = [await account({ kind: 'telnyx' }), await account({ priority: 2 })]
    const id = await queued()
    expect(await claimAndSend(id, unfit, fit)).toEqual({ kind: 'again' })
    expect(await own.attemptsOf(id)).toMatchObject([{ provider_code: 'text_too_long' }])
    expect(await claimAndSend(id, unfit, fit)).toEqual({ kind: 'answered' })
    expect(sent).toEqual([fit.id])
  })
})

const settings = { lane: lane.lane, concurrency: 200, ratePerSecond: 1000 }

describe('while consent does not answer', () => {
  const needsConsent = { lane: 'transactional', channel: 'whatsapp' } as const
  const template = { name: 'shipped', language: 'en', category: 'utility' }
  const message = JSON.stringify({ channel: 'whatsapp', to: '+15551230001', template, parameters: [] })
  const fault = new Error('no answer')
  let isAway: boolean
  let asked: number
  beforeEach(() => {
    isAway = true
    asked = 0
  })
  async function contextAsking(): Promise<SendContext> {
    const provider = await account({ kind: 'whatsapp_cloud' })
    const directory = {
      providers: { list: async () => [provider] },
      carrierTemplates: { faultOf: async () => undefined },
      consents: {
        async ask() {
          asked++
          if (isAway) throw fault
          return { status: 'active', marketing_stopped: false, entry_id: newId('optin') }
        },
      },
    }
    return contextOf([provider], { directory, secrets: { keyRing: { decrypt: () => message } } })
  }
  const senderAsking = async () => createSender(await contextAsking(), needsConsent, () => false)
  const queuedMessage = async () => (await own.queued(1, needsConsent.lane, needsConsent.channel))[0]!

  test('a message waits with its queue, without using the schedule, and is sent once consent answers', async () => {
    const sender = await senderAsking()
    const id = await queuedMessage()
    for (let n = 0; n < 4; n++) {
      expect(await claimFor(sender, id)).toEqual({ kind: 'unavailable', forMs: expect.any(Number), fault })
      // It keeps its position.
      const waiting = { status: 'queued', sending: false, round_attempts: 0, next_attempt_at: null }
      expect(await own.rowOf(id)).toMatchObject(waiting)
    }
    expect(asked).toBe(4)
    expect(await own.attemptsOf(id)).toEqual([])
    expect(await isHeld(id)).toBe(true)
    isAway = false
    expect(await claimFor(sender, id)).toEqual({ kind: 'answered' })
    expect(await own.rowOf(id)).toMatchObject({ status: 'sent', round_attempts: 1 })
    expect(await isHeld(id)).toBe(false)
  })

  test('a message fails after HOLD_LIMIT, and can be retried', async () => {
    const sender = await senderAsking()
    const id = await queuedMessage()
    await claimFor(sender, id)
    const { application_id } = await own.keyOf(id)
    const longAgo = `now() - interval '2 minutes'`
    await db.run(`update held_queues set since = ${longAgo} where application_id = $1`, [application_id])
    await db.run(`update notifications set enqueued_at = ${longAgo} where id = $1`, [id])
    expect(await claimFor(sender, id)).toEqual({ kind: 'answered' })
    expect(await own.rowOf(id)).toMatchObject({ status: 'failed', retryable: true })
    expect(await own.attemptsOf(id)).toMatchObject([{ provider_id: null, provider_code: 'internal_error' }])
  })

  test('a queue is logged once, and sends all its messages once consent answers', async () => {
    const kit = createTestKit('dispatch')
    const { wake } = runLane(
      kit,
      await contextAsking(),
      needsConsent,
      { ...settings, lane: needsConsent.lane },
      { slowdown: () => 1 },
    )
    try {
      const first = await queuedMessage()
      const ids = [first, ...(await add(first, 20, needsConsent))]
      wake([await own.keyOf(first)])
      await eventually(async () => expect(await isHeld(first)).toBe(true))
      isAway = false
      await eventually(async () => {
        for (const id of ids) expect(await own.rowOf(id)).toMatchObject({ status: 'sent', round_attempts: 1 })
      })
      expect(kit.lines.filter(({ level }) => level >= 40)).toMatchObject([{ err: { message: fault.message } }])
    } finally {
      await kit.stop()
    }
  })
})

test('a process that stops records the call in hand and claims nothing, however long its other resources take to stop', async () => {
  const kit = createTestKit('dispatch')
  const { wake } = runLane(kit, contextOf([await account()]), lane, settings, { slowdown: () => 1 })
  const slow = Promise.withResolvers<void>()
  kit.lifecycle.onStop('slow', () => slow.promise)
  const [inHand, waiting] = [await queued(), await queued()]
  const [first, second] = [await own.keyOf(inHand), await own.keyOf(waiting)]
  const untouched = { status: 'queued', sending: false, attempt_count: 0 }
  duringCall = () => void kit.stop()
  try {
    wake([first])
    await eventually(async () => expect(await own.rowOf(inHand)).toMatchObject({ status: 'sent' }))
    wake([second])
    expect(await own.rowOf(waiting)).toMatchObject(untouched)
  } finally {
    slow.resolve()
    await kit.stop()
  }
  expect(await own.rowOf(waiting)).toMatchObject(untouched)
})

test('messages that wait for the end of quiet hours do not keep a queue slow after it has slept', async () => {
  const provider = await account()
  const timeIn = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  const quiet = { quiet_hours: { start: timeIn(-1), end: timeIn(2) }, timezone: 'UTC' }
  const asleep = new Set<string>()
  let claims = 0
  const run: typeof db.run = async (statement, values) => {
    const rows = await db.run<{ id: string }>(statement as never, values)
    if ((statement as { name?: string }).name !== 'claim-for-sending') return rows as never
    claims++
    const ofUsers = { user_index: 'user', quiet_hours: Buffer.from('') }
    return rows.map((row) => (asleep.has(row.id) ? { ...row, ...ofUsers } : row)) as never
  }
  const decrypt = () => JSON.stringify({ ...JSON.parse(payload), ...quiet })
  const context = contextOf([provider], { db: { ...db, run }, secrets: { keyRing: { decrypt } } })
  const kit = createTestKit('dispatch')
  const { wake } = runLane(kit, context, lane, settings, { slowdown: () => 1 })
  try {
    openMs.set(provider.id, 20)
    const first = await queued()
    const key = await own.keyOf(first)
    wake([key])
    await eventually(async () => expect(await isHeld(first)).toBe(true))
    for (const id of await add(first, 80)) asleep.add(id)
    const [last] = await add(first, 1)
    claims = 0
    openMs.clear()
    wake([key])
    await eventually(async () => expect(await own.rowOf(last!)).toMatchObject({ status: 'sent' }))
    expect(claims).toBeLessThan(60)
  } finally {
    await kit.stop()
  }
})

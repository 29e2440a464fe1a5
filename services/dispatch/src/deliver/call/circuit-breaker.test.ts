import { describe, expect, jest, test } from '@jest/globals'
import {
  accepted,
  accountDown,
  type CarrierAnswer,
  carrierFault,
  later,
  noConnection,
  permanent,
  refusal,
  type Verdict,
} from '@notify/carriers/sending'
import { newId } from '@notify/contracts'
import type { Provider } from '../../catalogue/providers/provider-directory.ts'
import type { CarrierMessage, Carriers } from './carrier.ts'
import { withCircuitBreakers } from './circuit-breaker.ts'

const provider: Provider = {
  id: newId('prov'),
  tenantId: newId('ten'),
  kind: 'twilio',
  revision: 1,
  credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'f'.repeat(32), from: '+15005550006' },
}
const message: CarrierMessage = {
  channel: 'sms',
  to: '+15551230001',
  text: 'Hi',
  notificationId: newId('notif'),
  attemptId: newId('att'),
  mode: 'live',
  traceparent: undefined,
}

/** Carriers that always answer this, and how often they were asked. */
function answering(answer: CarrierAnswer): Carriers & { asked: number; answer: CarrierAnswer } {
  const carriers = {
    asked: 0,
    answer,
    close: () => {},
    async send() {
      carriers.asked++
      return carriers.answer
    },
  }
  return carriers
}

/** The codes of many calls, made a little apart so that the breaker sees its sampling windows fill. */
async function codesOf(carriers: Carriers, calls: number): Promise<Set<string | null>> {
  const codes = new Set<string | null>()
  for (let call = 0; call < calls; call++) codes.add((await carriers.send(provider, message)).code)
  return codes
}

test.each<[string, Verdict]>([
  ['fails', carrierFault()],
  ['refuses the account', accountDown()],
])(
  'the circuit breaker opens for a provider that %s; other providers, modes and credentials are not affected',
  async (_what, verdict) => {
    const broken = answering(refusal('broken', verdict, null))
    const carriers = withCircuitBreakers(broken)
    expect(await codesOf(carriers, 200)).toEqual(new Set(['broken', 'circuit_open']))
    expect(broken.asked).toBeLessThan(200)
    const next = async (change: Partial<Provider>, mode: 'live' | 'test' = 'live') =>
      (await carriers.send({ ...provider, ...change } as Provider, { ...message, mode })).code
    expect(await next({})).toBe('circuit_open')
    expect(await next({ id: newId('prov') })).toBe('broken')
    expect(await next({}, 'test')).toBe('broken')
    expect(await next({ revision: 2 })).toBe('broken')
  },
)

test.each<[string, CarrierAnswer]>([
  ['takes them', accepted('SM1')],
  ['refuses them one by one', refusal('21211', permanent(), null)],
  ['asks to slow down', refusal('20429', later(), null)],
])('the circuit breaker stays closed for a provider that %s', async (_what, answer) => {
  const carriers = answering(answer)
  expect(await codesOf(withCircuitBreakers(carriers), 200)).toEqual(new Set([answer.code]))
  expect(carriers.asked).toBe(200)
})

test('the circuit breaker opens after five failures in a row for a provider that responds to nothing', async () => {
  let ms = performance.now()
  using _clock = jest.spyOn(performance, 'now').mockImplementation(() => ms)
  const hanging = answering(refusal('timeout', carrierFault(), null))
  const carriers = withCircuitBreakers({
    ...hanging,
    send: (...call) => {
      ms += 10_000
      return hanging.send(...call)
    },
  })
  expect(await codesOf(carriers, 4)).toEqual(new Set(['timeout']))
  hanging.answer = accepted('SM1')
  expect(await codesOf(carriers, 1)).toEqual(new Set([null]))
  hanging.answer = refusal('timeout', carrierFault(), null)
  expect(await codesOf(carriers, 5)).toEqual(new Set(['timeout']))
  expect(carriers.circuitOpenMs(provider, 'live')).toBeGreaterThan(0)
  expect(await codesOf(carriers, 1)).toEqual(new Set(['circuit_open']))
})

test('the circuit breaker stays closed for a provider that responds to other calls during a long wait', async () => {
  let ms = performance.now()
  using _clock = jest.spyOn(performance, 'now').mockImplementation(() => ms)
  const answers = Array.from({ length: 6 }, () => Promise.withResolvers<CarrierAnswer>())
  let call = 0
  const carriers = withCircuitBreakers({ ...answering(accepted('SM1')), send: () => answers[call++]!.promise })
  const sent = answers.map(() => carriers.send(provider, message))
  ms += 10_000
  answers.pop()!.resolve(accepted('SM1'))
  await sent.pop()
  for (const { resolve } of answers) resolve(refusal('timeout', carrierFault(), null))
  await Promise.all(sent)
  expect(carriers.circuitOpenMs(provider, 'live')).toBe(0)
})

describe('a provider with an open circuit breaker', () => {
  /** Carriers that fail until they recover; the test moves the clock of their circuit breakers. */
  async function broken() {
    const clock = { ms: Date.now() }
    const now = jest.spyOn(Date, 'now').mockImplementation(() => clock.ms)
    const carriers = answering(refusal('broken', carrierFault(), null))
    const held = withCircuitBreakers(carriers)
    await codesOf(held, 25)
    return { clock, carriers, held, [Symbol.dispose]: () => now.mockRestore() }
  }

  test.each([-10, 10])('is called again at once when the clock is set by %i minutes', async (minutes) => {
    using world = await broken()
    const { held, carriers, clock } = world
    clock.ms += minutes * 60_000
    carriers.answer = accepted('SM1')
    expect((await held.send(provider, message)).outcome).toBe('accepted')
    expect(held.circuitOpenMs(provider, 'live')).toBe(0)
  })

  test('is known to be, by itself alone, after twenty failures in a row; no call is made', async () => {
    using world = await broken()
    const { held, carriers } = world
    expect(carriers.asked).toBe(20)
    expect(held.circuitOpenMs(provider, 'live')).toBe(5000)
    expect(held.circuitOpenMs({ ...provider, id: newId('prov') }, 'live')).toBe(0)
    expect(held.circuitOpenMs({ ...provider, revision: 2 }, 'live')).toBe(0)
  })

  test('is reported for as long as it is', async () => {
    using world = await broken()
    const { held, carriers, clock } = world
    expect(held.circuits()).toMatchObject([
      { tenantId: provider.tenantId, providerId: provider.id, mode: 'live', isOpen: true },
    ])
    clock.ms += 5000
    carriers.answer = accepted('SM1')
    await held.send(provider, message)
    expect(held.circuits()).toMatchObject([{ isOpen: false }])
  })

  test('is reported for each mode', async () => {
    using world = await broken()
    const { held, carriers } = world
    for (let call = 0; call < 20; call++) await held.send(provider, { ...message, mode: 'test' })
    carriers.answer = accepted('SM1')
    await held.send({ ...provider, revision: 2 }, message)
    expect(held.circuits()).toMatchObject([{ providerId: provider.id, kind: 'twilio', mode: 'test', isOpen: true }])
  })

  test('is not reported after five minutes without a message for it', async () => {
    using world = await broken()
    const { held, clock } = world
    clock.ms += 299_000
    expect(held.circuits()).toMatchObject([{ isOpen: true }])
    clock.ms += 2000
    expect(held.circuits()).toMatchObject([{ isOpen: false }])
  })

  test('is forgotten after an hour without a message for it, as after the end of its provider', async () => {
    using world = await broken()
    const { held, clock } = world
    clock.ms += 3_599_000
    expect(held.circuits()).toHaveLength(1)
    clock.ms += 2000
    expect(held.circuits()).toEqual([])
    expect(held.circuitOpenMs(provider, 'live')).toBe(0)
  })

  test('is not called again when the probe found no free connection', async () => {
    using world = await broken()
    const { held, carriers, clock } = world
    clock.ms += 5000
    carriers.answer = noConnection
    expect(await held.send(provider, message)).toEqual(noConnection)
    expect(held.circuitOpenMs(provider, 'live')).toBe(5000)
  })

  test('is asked once when the time has come; meanwhile the others wait, and its answer decides for all', async () => {
    using world = await broken()
    const { held, carriers, clock } = world
    clock.ms += 5000
    expect(held.circuitOpenMs(provider, 'live')).toBe(0)
    const [probe, other] = await Promise.all([held.send(provider, message), held.send(provider, message)])
    expect([probe.code, other.code, carriers.asked]).toEqual(['broken', 'circuit_open', 21])
    expect(held.circuitOpenMs(provider, 'live')).toBe(5000)
    clock.ms += 5000
    carriers.answer = accepted('SM1')
    expect((await held.send(provider, message)).outcome).toBe('accepted')
    expect(held.circuitOpenMs(provider, 'live')).toBe(0)
  })
})

test('calls that were not made, because no connection was free, neither open nor keep closed a circuit breaker', async () => {
  const carriers = answering(noConnection)
  const held = withCircuitBreakers(carriers, () => 1000)
  expect(await codesOf(held, 200)).toEqual(new Set([noConnection.code]))
  for (let failure = 0; failure < 20; failure++) {
    carriers.answer = refusal('broken', carrierFault(), null)
    await held.send(provider, message)
    carriers.answer = noConnection
    await codesOf(held, 20)
  }
  expect(await codesOf(held, 1)).toEqual(new Set(['circuit_open']))
})

test('a provider that asks for a pause is busy for as long, and is still called when no other provider is left', async () => {
  let nowMs = 1000
  const carriers = answering(refusal('20429', later(), null, 30_000))
  const held = withCircuitBreakers(carriers, () => nowMs)
  expect(held.isBusy(provider, 'live')).toBe(false)
  await held.send(provider, message)
  expect([held.isBusy(provider, 'live'), held.isBusy(provider, 'test')]).toEqual([true, false])
  await held.send(provider, message)
  expect(carriers.asked).toBe(2)
  nowMs += 30_000
  expect(held.isBusy(provider, 'live')).toBe(false)
})

test('a pause for one recipient leaves the provider free for others', async () => {
  const carriers = answering(refusal('131056', { ...later(), recipientOnly: true }, null, 30_000))
  const held = withCircuitBreakers(carriers, () => 1000)
  await held.send(provider, message)
  expect(held.isBusy(provider, 'live')).toBe(false)
})

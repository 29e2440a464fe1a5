import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { channels } from '../src/channels/registry.ts'
import { createSender, type SendContext } from '../src/deliver/send-notification.ts'
import { createOwnNotifications, type OwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const hourMs = 3_600_000

/** How far the clock of this process is ahead; it is only ever moved forward, as by a process that stood still. */
let aheadMs = 0
let clock: jest.SpiedFunction<typeof performance.now>
beforeAll(() => {
  const now = performance.now.bind(performance)
  clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
})
afterAll(() => clock.mockRestore())

/** What takes long, by the clock of this process. */
let slow: { claim?: number; consent?: number }
let asked: number
/** With what each span ended. */
let ended: unknown[]
beforeEach(() => {
  ended = []
  slow = {}
  asked = 0
})

const payload = {
  ...{ channel: 'whatsapp', to: '+15551230001', parameters: [] },
  template: { name: 'code', language: 'en', category: 'authentication' },
}
const lane = { lane: 'otp', channel: 'whatsapp' } as const
const called = 'the carrier was called'
const run: typeof db.run = async (statement, values) => {
  const rows = await db.run<never>(statement as never, values)
  if ((statement as { name?: string }).name === 'claim-for-sending') aheadMs += slow.claim ?? 0
  return rows
}
const senderWith = (CONSENT_TIMEOUT: number) =>
  createSender(
    {
      config: { CONSENT_TIMEOUT, CARRIER_TIMEOUT: 10_000, HOLD_LIMIT: 10 * hourMs },
      channels,
      db: { ...db, run },
      secrets: { keyRing: { decrypt: () => JSON.stringify(payload) } },
      directory: {
        providers: { list: async () => [{ id: newId('prov'), kind: 'whatsapp_cloud', rateLimitPerSecond: null }] },
        carrierTemplates: { faultOf: async () => undefined },
        consents: {
          async ask() {
            asked++
            aheadMs += slow.consent ?? 0
            return { status: 'active', marketing_stopped: false, entry_id: newId('optin') }
          },
        },
      },
      carriers: {
        circuitOpenMs: () => 0,
        isBusy: () => false,
        send: () => Promise.reject(new Error(called)),
      },
      tracer: { start: () => ({ end: (error: unknown) => void ended.push(error) }) },
      metrics: { putBack() {} },
      wakeOutbox() {},
    } as unknown as SendContext,
    lane,
    () => false,
  )

let own: OwnNotifications
beforeAll(() => {
  own = createOwnNotifications(db, newId('ten'))
})

/** Claims a message and hands it to the sender. */
async function claimAndSend({ expires, consentTimeoutMs = 2000 }: { expires: boolean; consentTimeoutMs?: number }) {
  const sender = senderWith(consentTimeoutMs)
  const [id] = (await own.queued(1, lane.lane, lane.channel)) as [string]
  if (expires) await db.run(`update notifications set expires_at = now() + interval '1 hour' where id = $1`, [id])
  const { claims } = await sender.claim([{ key: await own.keyOf(id), most: 1 }])
  expect(claims).toMatchObject([{ id }])
  const verdict = await sender.send(claims[0]!, { traceparent: undefined } as never)
  return { verdict, attempts: await own.attemptsOf(id), row: await own.rowOf(id) }
}

const putBack = { verdict: { kind: 'again' }, attempts: [], row: { status: 'queued', sending: false } }

test('a message that is sent in time is handed to its carrier', async () => {
  await expect(claimAndSend({ expires: true })).rejects.toThrow(called)
  // The span of a call that throws ends, too.
  expect(ended).toContainEqual(new Error(called))
  slow = { consent: hourMs }
  await expect(claimAndSend({ expires: false, consentTimeoutMs: hourMs })).rejects.toThrow(called)
})

test.each([
  ['has expired', true],
  ['has outlived its lease', false],
])('a message that %s before the answer of its claim is read is not sent', async (_what, expires) => {
  slow = { claim: hourMs + 1 }
  expect(await claimAndSend({ expires })).toMatchObject(putBack)
  expect(asked).toBe(0)
})

test('a message that expires while consent is asked for is not sent', async () => {
  slow = { consent: hourMs + 1 }
  // Here the lease lasts longer than the message.
  expect(await claimAndSend({ expires: true, consentTimeoutMs: 10 * hourMs })).toMatchObject(putBack)
  expect(asked).toBe(1)
})

test('a message whose lease would end during the call is not sent', async () => {
  slow = { consent: hourMs + 1 }
  expect(await claimAndSend({ expires: false })).toMatchObject(putBack)
  expect(asked).toBe(1)
})

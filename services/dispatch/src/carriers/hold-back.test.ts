import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Provider } from '../providers/provider-directory.ts'
import type { CarrierAnswer, Carriers, SmsMessage } from './carrier.ts'
import { holdBack } from './hold-back.ts'
import { accepted, accountDown, carrierFault, later, permanent, refusal, type Verdict } from './verdict.ts'

const provider: Provider = {
  id: newId('prov'),
  kind: 'twilio',
  revision: 1,
  credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'f'.repeat(32), from: '+15005550006' },
}
const message: SmsMessage = {
  to: '+15551230001',
  text: 'Hi',
  notificationId: newId('notif'),
  attemptId: newId('att'),
  mode: 'live',
  traceparent: undefined,
}

/** Carriers that always answer this, and how often they were asked. */
function answering(answer: CarrierAnswer): Carriers & { asked: number } {
  const carriers = {
    asked: 0,
    close: () => {},
    async send() {
      carriers.asked++
      return answer
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
  'calls are held back from a provider that %s; other providers, modes and credentials are not',
  async (_what, verdict) => {
    const broken = answering(refusal('broken', verdict, null))
    const carriers = holdBack(broken)
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
])('messages are not held back from a provider that %s', async (_what, answer) => {
  const carriers = answering(answer)
  expect(await codesOf(holdBack(carriers), 200)).toEqual(new Set([answer.code]))
  expect(carriers.asked).toBe(200)
})

import { expect, test } from '@jest/globals'
import { admitSend } from './admit-send.ts'
import { createVelocity } from './create-velocity.ts'

const limitOf = { application: 8, country: 4, prefix: 2 }

/** Sends codes in a new context. @returns which limit refuses, or undefined */
function startAdmitting() {
  let limited: string | undefined
  const context = {
    config: {
      SENDS_PER_APPLICATION: limitOf.application,
      SENDS_PER_COUNTRY: limitOf.country,
      SENDS_PER_PREFIX: limitOf.prefix,
      FRAUD_WINDOW: 3_600_000,
    },
    limits: {
      velocity: createVelocity({ status: 'connecting', defineCommand() {} } as never, Buffer.alloc(32)),
      treatmentOf: async (_tenantId: string, _mode: string, prefix: string) =>
        prefix === '+490000' ? 'blocked' : 'normal',
    },
    metrics: {
      limited(what: string) {
        limited = what
      },
    },
  }
  return async (phone: string | undefined, applicationId = 'app_1') => {
    limited = undefined
    const sending = { tenantId: 'ten_1', applicationId, mode: 'live', phone, settings: {} } as const
    const admission = await admitSend(context as never, sending).catch(() => undefined)
    return { admission, limited }
  }
}

test('a send that a limit refuses counts for no other limit', async () => {
  const admit = startAdmitting()
  const limits = async (phones: (string | undefined)[]) => {
    const found: (string | undefined)[] = []
    for (const phone of phones) found.push((await admit(phone)).limited)
    return found
  }
  expect(await limits(Array(9).fill('+490000123'))).toEqual(Array(9).fill('fraud'))
  expect(await limits(Array(12).fill('+491512123'))).toEqual([undefined, undefined, ...Array(10).fill('prefix')])
  const others = ['+491513123', '+491514123', ...Array(10).fill('+491515123')]
  expect(await limits(others)).toEqual([undefined, undefined, ...Array(10).fill('country')])
  // Four codes of eight were sent.
  expect(await limits(Array(5).fill(undefined))).toEqual([...Array(4).fill(undefined), 'application'])
  expect(await limits(['+331513123'])).toEqual(['application'])
  const elsewhere = await admit('+331513123', 'app_2')
  expect(elsewhere.limited).toBeUndefined()
})

test('a send that is refused after all counts for no limit', async () => {
  const admit = startAdmitting()
  for (let sent = 0; sent < 20; sent++) {
    const { admission, limited } = await admit('+491512123')
    expect(limited).toBeUndefined()
    admission?.giveBack()
  }
})

test('many sends that a limit refuses at the same moment take no room of those that are given back', async () => {
  const admit = startAdmitting()
  const crowd = () => Promise.all(Array.from({ length: 6 }, () => admit('+491512123')))
  const admissions = async () => (await crowd()).flatMap(({ admission }) => admission ?? [])
  const admitted = await admissions()
  expect(admitted).toHaveLength(limitOf.prefix)
  for (const one of admitted) one.giveBack()
  expect(await admissions()).toHaveLength(limitOf.prefix)
})

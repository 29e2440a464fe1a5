import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { accepted, type CarrierAccount, type SendingCarrier } from '@notify/carriers/sending'
import { newId } from '@notify/contracts'
import { type KeyRing, parseKeyRing } from '@notify/privacy'
import { createTestKit } from '@notify/test-kit/kit'
import { z } from 'zod'
import { createProviderDirectory } from '../src/catalogue/providers/provider-directory.ts'
import { saveProvider } from '../src/catalogue/providers/save-provider.ts'
import type { Config } from '../src/config.ts'
import type { Context } from '../src/context.ts'
import { createCarriers } from '../src/deliver/call/create-carriers.ts'
import { db } from './own-schema.ts'

const flights: unknown[] = []
const pigeon: SendingCarrier = {
  channel: 'webhook',
  credentials: z.strictObject({ ring: z.string().min(3) }),
  environment: {},
  createSender: () => ({
    async send({ credentials }: CarrierAccount<{ ring: string }>, { to }: { to: string }) {
      flights.push([credentials.ring, to])
      return accepted('coo')
    },
    close: () => {},
  }),
}
const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`)
const context = { secrets: { keyRing }, carrierTable: { pigeon } } as unknown as Context
const [tenantId, applicationId] = [newId('ten'), newId('app')]

const save = (fields: object, as = context) =>
  db.transaction((run) =>
    saveProvider(run, as, {
      provider_id: newId('prov'),
      tenant_id: tenantId,
      application_id: null,
      channel: 'webhook',
      kind: 'pigeon',
      name: 'Pigeon',
      priority: 1,
      credentials: { ring: 'blue' },
      ...fields,
    }),
  )

const { log } = createTestKit('dispatch')
const directoryOf = (ring: KeyRing) => createProviderDirectory(db, ring, { pigeon }, log)

test('a kind that the table adds is stored, listed and sent through; nothing else knows it', async () => {
  await save({})
  const [provider, ...others] = await directoryOf(keyRing).list(tenantId, applicationId, 'webhook')
  expect(provider).toMatchObject({ kind: 'pigeon', credentials: { ring: 'blue' } })
  expect(others).toEqual([])
  const carriers = createCarriers({ CARRIER_TIMEOUT: 1000 } as Config, { pigeon })
  const correlation = { notificationId: newId('notif'), attemptId: newId('att'), traceparent: undefined }
  const message = { ...correlation, mode: 'live' as const, channel: 'webhook' as const, to: 'loft', text: 'Hi' }
  expect(await carriers.send(provider!, message)).toMatchObject({ outcome: 'accepted', providerMessageId: 'coo' })
  expect(flights).toEqual([['blue', 'loft']])
  expect(await createProviderDirectory(db, keyRing, {}, log).list(tenantId, applicationId, 'webhook')).toEqual([])
})

test.each<[object, RegExp]>([
  [{ credentials: { ring: 'x' } }, /ring/],
  [{ channel: 'sms' }, /a pigeon account sends webhook, not sms/],
])('an account that its kind cannot send with is refused: %j', async (fields, message) => {
  await expect(save(fields)).rejects.toThrow(message)
})

test('a provider whose key is missing is skipped for the next one; without a next one its messages wait', async () => {
  const [tenant, lost, other] = [newId('ten'), newId('prov'), newId('prov')]
  await save({ tenant_id: tenant, provider_id: lost })
  const newKey = parseKeyRing(`k2:${randomBytes(32).toString('base64')}`)
  await expect(directoryOf(newKey).list(tenant, applicationId, 'webhook')).rejects.toThrow('ENCRYPTION_KEYS')
  const otherContext = { ...context, secrets: { keyRing: newKey } } as Context
  await save({ tenant_id: tenant, provider_id: other, priority: 2 }, otherContext)
  const listed = await directoryOf(newKey).list(tenant, applicationId, 'webhook')
  expect(listed.map(({ id }) => id)).toEqual([other])
})

import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Person, Queries } from '@notify/database'
import { parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import { bodyAad, targetAad } from '../src/db/aad.ts'
import { migrations } from '../src/db/migrations.ts'
import { insertDeliveries } from '../src/deliveries/insert-deliveries.ts'
import { erasuresOf } from '../src/erasure/erase-recipient.ts'
import { readDeliveries } from '../src/erasure/read-deliveries.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})

const keyRing = parseKeyRing(`one:${randomBytes(32).toString('base64')}`)
const address = 'https://ada.example/hook'
const damaged = Buffer.from('damaged')

const newPerson = (): Person => ({
  ...{ tenantId: newId('ten'), recipient: address, index: 'their index', forgetStops: false },
})

/** A delivery: to an address of a recipient, or of an event about the person. */
async function addDelivery({ tenantId }: Person, values: { url?: Buffer | string; data?: object | Buffer }) {
  const id = newId('whdel')
  const { url = null, data = {} } = values
  const seal = (value: Buffer | string, aad: string) => (Buffer.isBuffer(value) ? value : keyRing.encrypt(value, aad))
  await insertDeliveries(db.run, [
    {
      ...{
        id,
        notification_id: newId('notif'),
        tenant_id: tenantId,
        application_id: 'app_1',
        endpoint_id: `origin_${id}`,
      },
      ...{
        subscription_id: null,
        retry_count: 0,
        event_type: 'notification.failed',
        provider_id: null,
        traceparent: null,
      },
      url: url && seal(url, targetAad(tenantId, id)),
      body: seal(Buffer.isBuffer(data) ? data : JSON.stringify({ data }), bodyAad(tenantId, id)),
      recipient_index: url === null ? 'their index' : null,
    } as never,
  ])
  return async () => {
    const [row] = await db.run<{ body: Buffer; url: Buffer | null; last_error: string | null }>(
      'select body, url, last_error from deliveries where id = $1',
      [id],
    )
    return { ...row!, sealed: row!.body, body: () => JSON.parse(keyRing.decrypt(row!.body, bodyAad(tenantId, id))) }
  }
}

async function erase(person: Person) {
  const [deliveries] = erasuresOf({ BLIND_INDEX_KEY: [randomBytes(32)], ENCRYPTION_KEYS: keyRing })
  return { erased: await deliveries!.erase(db, person), unreadable: deliveries!.unreadable?.() }
}

test('a delivery that cannot be decrypted does not hinder the erasure of others, and is counted', async () => {
  const person = newPerson()
  const unknown = await addDelivery(person, { url: damaged })
  const event = await addDelivery(person, { data: damaged })
  const theirs = await addDelivery(person, { url: address })
  expect(await erase(person)).toEqual({ erased: 1, unreadable: 2 })
  expect(await unknown()).toMatchObject({ url: damaged, last_error: null })
  expect((await event()).sealed).toEqual(damaged)
  expect(await theirs()).toMatchObject({ last_error: 'recipient_erased' })
})

test('a stored event loses the words of the carrier, and keeps a code', async () => {
  const person = newPerson()
  const stored = await Promise.all(
    ['unknown user Ada', 'expired'].map((failure_reason) => addDelivery(person, { data: { failure_reason } })),
  )
  await erase(person)
  const left = await Promise.all(stored.map(async (read) => (await read()).body().data))
  expect(left).toEqual([{ failure_reason: null }, { failure_reason: 'expired' }])
})

test('of a message to an address, whose rest is deleted anyway, the body is not read', async () => {
  const person = newPerson()
  await addDelivery(person, { url: address, data: { text: 'x'.repeat(1000) } })
  const event = await addDelivery(person, { data: { failure_reason: 'expired' } })
  const { deliveries } = await readDeliveries(db, person, '')
  const bodyOf = (isEvent: boolean) => deliveries.find(({ url }) => (url === null) === isEvent)!.body
  expect([deliveries.length, bodyOf(false).length, bodyOf(true)]).toEqual([2, 0, (await event()).sealed])
})

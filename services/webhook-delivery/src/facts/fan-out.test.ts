import { expect, test } from '@jest/globals'
import { type NotificationFact, newId } from '@notify/contracts'
import { UnreadableError } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { metadataAad } from '../db/aad.ts'
import { createFanOut } from './fan-out.ts'

const ringOf = (id: string, fill: number) => parseKeyRing(`${id}:${Buffer.alloc(32, fill).toString('base64')}`)

test('metadata under a key that this service lacks make the fact unreadable: it is tried again, and then a dead letter', async () => {
  const [tenant_id, notification_id] = [newId('ten'), newId('notif')]
  const metadata = ringOf('new', 1).encrypt('{"table":"7"}', metadataAad(tenant_id, notification_id)).toString('base64')
  const fact = {
    mode: 'live',
    status: 'delivered',
    tenant_id,
    notification_id,
    metadata,
  } as unknown as NotificationFact
  const context = { secrets: { keyRing: ringOf('old', 2) } } as unknown as Parameters<typeof createFanOut>[0]
  await expect(createFanOut(context)(fact, undefined)).rejects.toThrow(UnreadableError)
})

import { expect, test } from '@jest/globals'
import { parseKeyRing } from '@notify/privacy'
import type { InternalClient } from '@notify/service-kit'
import { createHandOver } from './hand-over.ts'
import { requestAad } from './message-store.ts'

const keyRing = parseKeyRing(`k:${Buffer.alloc(32, 1).toString('base64')}`)

test('a message of a tenant does not wait for one of another channel that dispatch does not answer', async () => {
  const dispatch = {
    call: (_route: unknown, { body: { items } }: { body: { items: { request: { channel: string } }[] } }) =>
      items.some(({ request }) => request.channel === 'whatsapp')
        ? new Promise(() => {})
        : Promise.resolve({ results: items.map(() => ({ body: '' })) }),
  } as unknown as InternalClient
  const handOver = createHandOver(dispatch, { signPrincipal: async () => 'signed', keyRing })
  const send = (channel: string) => {
    const [tenant_id, notification_id] = ['ten_1', `notif_${channel}`]
    const request = keyRing.encrypt(JSON.stringify([{ channel }]), requestAad(tenant_id, notification_id))
    const message = { notification_id, tenant_id, request, traceparent: null, earlier: [], expires_at: new Date() }
    return handOver(message as unknown as Parameters<typeof handOver>[0], {})
  }
  for (let sent = 0; sent < 5; sent++) void send('whatsapp')
  expect(await send('sms')).toBeUndefined()
})

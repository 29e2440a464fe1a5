import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId, webhookRequested } from '@notify/contracts'
import { sealEvent } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { createHandOffStore, mostBatchBytes } from './store-hand-off.ts'

const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`)
const owner = { tenant_id: newId('ten'), application_id: newId('app') }

function handOff(text: string) {
  const payload = {
    ...owner,
    notification_id: newId('notif'),
    retry_count: 0,
    mode: 'live',
    lane: 'transactional',
    channel: 'webhook',
    event_key: null,
    created_at: new Date().toISOString(),
    after: null,
  } as const
  const content = { channel: 'webhook', to: 'https://hooks.example.com/', data: { text } } as const
  return sealEvent(keyRing, webhookRequested, payload, content)
}

test('large hand-offs are stored in batches that a statement can write in its time, and small ones together', async () => {
  const stored: { count: number; bytes: number }[] = []
  const store = createHandOffStore({
    config: {},
    secrets: { keyRing },
    db: { run: async () => [{ application_id: owner.application_id, id: newId('prov') }] },
    metrics: { stored() {} },
    unreported: { add() {} },
    wakeOutbox() {},
    async storeDeliveries(deliveries: readonly { id: string; body: Buffer }[]) {
      const bytes = deliveries.reduce((sum, { body }) => sum + body.length, 0)
      stored.push({ count: deliveries.length, bytes })
      return new Set(deliveries.map(({ id }) => id))
    },
  } as unknown as Parameters<typeof createHandOffStore>[0])
  const storeAll = (count: number, text: string) =>
    Promise.all(Array.from({ length: count }, () => store(handOff(text), undefined)))
  await storeAll(40, 'x'.repeat(400_000))
  expect(stored.reduce((sum, { count }) => sum + count, 0)).toBe(40)
  expect(Math.max(...stored.map(({ bytes }) => bytes))).toBeLessThan(mostBatchBytes)
  stored.length = 0
  await storeAll(40, 'x')
  expect(stored).toEqual([{ count: 40, bytes: expect.any(Number) }])
})

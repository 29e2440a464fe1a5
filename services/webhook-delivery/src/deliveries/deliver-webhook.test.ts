import { expect, test } from '@jest/globals'
import { newWebhookSecret } from '@notify/webhook-signature'
import type { Context } from '../context.ts'
import { createDelivery } from './deliver-webhook.ts'
import type { TakenDelivery } from './take-deliveries.ts'

const taken = {
  ...{ id: 'whdel_1', tenant_id: 'ten_1', subscription_id: null, notification_id: null, topic: null },
  ...{ attempts: 1, charged: 0, held: 0, retry_delays: null, signer_id: 'prov_1', secret: Buffer.from('sealed') },
  taken_at_ms: performance.now(),
} as unknown as TakenDelivery

test('an unexpected error ends the attempt as failed, so that it is repeated by the schedule and not without end', async () => {
  const settled: object[] = []
  const logged: object[] = []
  const context = {
    config: { WEBHOOK_RETRY_DELAYS: [5000] },
    db: {
      run: async (_statement: unknown, [input]: string[]) => {
        settled.push(...JSON.parse(input!))
        return []
      },
    },
    log: { error: (fields: object) => void logged.push(fields), debug() {} },
    metrics: { attempted() {} },
    unreported: { ended() {} },
    wakeOutbox() {},
    // Whatever it is in production: it happens after the attempt was opened.
    get egress(): never {
      throw new TypeError('unexpected')
    },
  } as unknown as Context
  await expect(createDelivery(context)(taken)).resolves.toMatchObject({ outcome: 'failed', charged: true })
  expect(settled).toEqual([expect.objectContaining({ delivery_id: 'whdel_1', number: 1, error: 'internal error' })])
  expect(logged).toEqual([{ err: expect.any(TypeError) }])
})

test.each([
  ['busy', []],
  ['dns', ['held']],
])('an attempt that is postponed for the reason %s is counted as %j', async (reason, expected) => {
  const counted: string[] = []
  const context = {
    config: { WEBHOOK_RETRY_DELAYS: [5000], WEBHOOK_OWN_FAULT_DELAY: 30_000 },
    db: { run: async () => [] },
    log: { debug() {} },
    metrics: { attempted: (outcome: string) => void counted.push(outcome), delayed() {} },
    secrets: { keyRing: { decrypt: newWebhookSecret } },
    egress: { post: async () => ({ kind: 'failed', reason, own: true, message: 'none', durationMs: 5 }) },
    unreported: { ended() {} },
    wakeOutbox() {},
  } as unknown as Context
  const plain = { url: 'https://hooks.example.com/', body: '{}' }
  const late = { ...taken, plain, previous_secret: null, older_secret: null, taken_at_ms: performance.now() }
  expect(await createDelivery(context)(late)).toMatchObject({ outcome: 'failed', charged: false })
  expect(counted).toEqual(expected)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { eventually, patienceMs, type TestEnv } from '@notify/dev-env'

/** A webhook as the sandbox's receiver got it. */
export interface Received {
  path: string
  headers: Record<string, string>
  body: string
  verified: boolean
  received_at: string
}

const page = readFileSync(join(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8')

/** Expects the page for receivers to name the type and the fields of an event. */
export function expectDocumented({ body }: Pick<Received, 'body'>): void {
  const { type, data } = JSON.parse(body)
  const unnamed = [type, ...Object.keys(data)].filter((name) => !page.includes(`\`${name}\``))
  expect(unnamed).toEqual([])
}

let serial = 0

/** A path that no other test uses; its beginning says how the receiver answers. */
export function freshPath(behaviour: string): string {
  serial += 1
  return `/${behaviour}/${serial}-${Math.random().toString(36).slice(2)}`
}

/** Subscribes a path of the receiver; what it gets is verified with the subscription's secret. */
export async function subscribe(env: TestEnv, path: string, fields: object = {}) {
  const answer = await env.api('POST', '/api/v1/webhook-subscriptions', {
    token: env.operatorToken,
    body: {
      application_id: env.applicationId,
      url: env.stack.receiverUrl + path,
      events: ['notification.delivered', 'notification.failed'],
      ...fields,
    },
  })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  if (answer.body.secret) {
    await env.call('carrier-sandbox', 'POST', '/received/secrets', { body: { secret: answer.body.secret } })
  }
  return answer.body
}

/** What came to the path, the oldest first. */
export async function received(env: TestEnv, path: string): Promise<Received[]> {
  const { body } = await env.call('carrier-sandbox', 'GET', `/received?limit=10000&path=${encodeURIComponent(path)}`)
  return body.items.toReversed()
}

/** Waits until so many webhooks have come to the path, and gives them. */
export function untilReceived(env: TestEnv, path: string, count: number, timeoutMs = patienceMs): Promise<Received[]> {
  return eventually(
    async () => {
      const items = await received(env, path)
      expect(items.length).toBeGreaterThanOrEqual(count)
      return items
    },
    { timeoutMs },
  )
}

async function deliveryOf(env: TestEnv, id: string) {
  return (await env.api('GET', `/api/v1/webhook-deliveries/${id}`, { token: env.operatorToken })).body
}

export async function deliveriesOf(env: TestEnv, subscriptionId: string, query = '') {
  const path = `/api/v1/webhook-subscriptions/${subscriptionId}/deliveries${query}`
  return (await env.api('GET', path, { token: env.operatorToken })).body.items
}

/** Waits until the subscription's newest delivery looks like this, and gives it with its attempts. */
export function untilDelivery(env: TestEnv, subscriptionId: string, expected: object, timeoutMs = patienceMs) {
  return eventually(
    async () => {
      const [newest] = await deliveriesOf(env, subscriptionId)
      expect(newest).toMatchObject(expected)
      return deliveryOf(env, newest.delivery_id)
    },
    { timeoutMs },
  )
}

import { afterAll, beforeAll, expect, test } from '@jest/globals'
// Each defines the tests of its subject; all use one stack. The last one ends processes.
import './whatsapp-updates/statuses.ts'
import './whatsapp-updates/addresses.ts'
import './whatsapp-updates/large-posts.ts'
import './whatsapp-updates/outages.ts'
import { env, start } from './whatsapp-updates/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())

test('after all of these, no message of events is larger than NATS takes', async () => {
  const { rows } = await env.admin.query('select max(octet_length(events)) < 1000000 as fits from callbacks.outbox')
  expect(rows).toEqual([{ fits: true }])
})

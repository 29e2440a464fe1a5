import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './webhooks/deliveries.ts'
import './webhooks/order.ts'
import './webhooks/replays.ts'
import './webhooks/secrets.ts'
import { env, start } from './webhooks/stack.ts'
import './webhooks/subscriptions.ts'

beforeAll(start)
afterAll(() => env?.stop())

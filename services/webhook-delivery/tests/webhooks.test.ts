import { afterAll, beforeAll, beforeEach } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './webhooks/deliveries.ts'
import './webhooks/replays.ts'
import './webhooks/secrets.ts'
import { env, start, untilNothingIsUnderWay } from './webhooks/stack.ts'
import './webhooks/subscriptions.ts'

// Last: its events reach subscriptions that are made within five seconds of them.
import './webhooks/order.ts'

beforeAll(start)
beforeEach(untilNothingIsUnderWay)
afterAll(() => env?.stop())

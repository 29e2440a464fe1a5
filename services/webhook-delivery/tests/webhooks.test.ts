import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals'
import { eventually } from '@notify/dev-env'
// Each defines the tests of its subject; all use one stack.
import './webhooks/deliveries.ts'
import './webhooks/replays.ts'
import './webhooks/secrets.ts'
import { env, start, underWay } from './webhooks/stack.ts'
import './webhooks/subscriptions.ts'

// Last: its events reach subscriptions that are made within five seconds of them.
import './webhooks/order.ts'

beforeAll(start)
// A subscription also gets events of messages from the five seconds before it.
beforeEach(() => eventually(async () => expect(await underWay()).toEqual([])))
afterAll(() => env?.stop())

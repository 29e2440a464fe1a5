import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
// Each defines the tests of its subject; all use the same server.
import './idempotency/repetitions.ts'
import './idempotency/concurrent-requests.ts'
import './idempotency/expired-keys.ts'
import './idempotency/erased-responses.ts'
import { env, one, startEmpty, startServer } from './idempotency/stack.ts'

beforeAll(startServer)
afterAll(() => env.stop())
beforeEach(startEmpty)
afterEach(() => one.kit.stop())

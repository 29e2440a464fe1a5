import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
// Each defines the tests of its subject; all use the same servers.
import './consume/events.ts'
import './consume/failures.ts'
import './consume/sharing.ts'
import { chooseTopic, env, one, startConsuming, startServers } from './consume/stack.ts'

beforeAll(startServers)
afterAll(() => env.stop())
beforeEach(startConsuming)
beforeEach(chooseTopic)
afterEach(() => one.kit.stop())

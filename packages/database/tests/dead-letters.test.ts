import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
// Each defines the tests of its subject; all use the same servers.
import './dead-letters/waiting.ts'
import './dead-letters/command.ts'
import './dead-letters/store.ts'
import { env, one, startEmpty, startServers } from './dead-letters/stack.ts'

beforeAll(startServers)
afterAll(() => env.stop())
beforeEach(startEmpty)
afterEach(() => one.kit.stop())

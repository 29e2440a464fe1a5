import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack. The last one ends Redis.
import './send/contents.ts'
import './send/input.ts'
import './send/limits.ts'
import './send/refusals.ts'
import './send/repetitions.ts'
import { env, start } from './send/stack.ts'
import './send/without-redis.ts'

beforeAll(start)
afterAll(() => env?.stop())

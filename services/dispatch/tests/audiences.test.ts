import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './audiences/broadcasts.ts'
import './audiences/delayed-pages.ts'
import './audiences/killed-workers.ts'
import './audiences/lists.ts'
import { env, start } from './audiences/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())

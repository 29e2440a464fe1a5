import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './digests/closing.ts'
import './digests/frequency.ts'
import './digests/operators.ts'
import './digests/people.ts'
import './digests/refused.ts'
import { env, start } from './digests/stack.ts'
import './digests/upkeep.ts'
import './digests/windows.ts'

beforeAll(start)
afterAll(() => env?.stop())

import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './management/applications.ts'
import './management/audit-log.ts'
import './management/callers.ts'
import './management/keys.ts'
import './management/operator-names.ts'
import './management/own-applications.ts'
import { env, start } from './management/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())

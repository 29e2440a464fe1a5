import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './events/access.ts'
import './events/changes.ts'
import './events/code-templates.ts'
import './events/digests.ts'
import './events/publishing.ts'
import './events/refusals.ts'
import './events/restarts.ts'
import { env, start } from './events/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())

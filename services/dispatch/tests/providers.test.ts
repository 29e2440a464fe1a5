import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack. Restarts come last: they delete the bootstrap document's provider.
import './providers/access.ts'
import './providers/carriers.ts'
import './providers/changes.ts'
import './providers/credentials.ts'
import './providers/kinds.ts'
import './providers/refusals.ts'
import './providers/restarts.ts'
import { env, start } from './providers/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())

import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack. The last one ends processes.
import './whatsapp-updates/statuses.ts'
import './whatsapp-updates/addresses.ts'
import './whatsapp-updates/large-posts.ts'
import './whatsapp-updates/outages.ts'
import { env, start } from './whatsapp-updates/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())

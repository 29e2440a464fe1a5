import { afterAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './inboxes/fresh-stream.ts'
import './inboxes/inbox.ts'
import './inboxes/preference-events.ts'
import './inboxes/stream-limit.ts'
import './inboxes/stream-faults.ts'
import { env } from './inboxes/stack.ts'

// Runs after the `afterAll` hooks of the parts.
afterAll(() => env?.stop())

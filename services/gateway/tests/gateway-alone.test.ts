import { afterAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './gateway-alone/console.ts'
import './gateway-alone/cors.ts'
import './gateway-alone/docs.ts'
import './gateway-alone/links.ts'
import './gateway-alone/activity-filters.ts'
import { env } from './gateway-alone/stack.ts'

// After what each part has started beside it.
afterAll(() => env?.stop())

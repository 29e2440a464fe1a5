import { afterAll, beforeAll, beforeEach } from '@jest/globals'
// Each defines the tests of its subject; all use one stack. The last one adds as many domains as a tenant may have.
import './domains/new-domain.ts'
import './domains/verification.ts'
import './domains/worker.ts'
import './domains/requests.ts'
import { clearDns, start, stop } from './domains/stack.ts'

beforeAll(start)
afterAll(stop)
beforeEach(clearDns)

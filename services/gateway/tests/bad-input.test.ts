import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './bad-input/bodies.ts'
import './bad-input/http.ts'
import './bad-input/templates.ts'
import './bad-input/accepted.ts'
import { env, expectNoEffects, noteEffects, start } from './bad-input/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())
beforeEach(noteEffects)
afterEach(expectNoEffects)

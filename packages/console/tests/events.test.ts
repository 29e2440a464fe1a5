import { afterAll, afterEach, beforeAll, expect } from '@jest/globals'
// Each defines the tests of its subject; all use one stack and one browser.
import './events/conflicts.ts'
import './events/digests.ts'
import './events/editing.ts'
import './events/languages.ts'
import './events/layouts.ts'
import './events/list.ts'
import './events/publishing.ts'
import './events/stored-templates.ts'
import './events/topics.ts'
import { harness, start } from './events/stack.ts'

beforeAll(start)
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

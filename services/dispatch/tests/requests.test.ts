import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one stack. Templates come first: they expect that nothing was sent yet.
import './requests/templates.ts'
import './requests/suppressions.ts'
import './requests/batch.ts'
import './requests/accept-call.ts'
import './requests/idempotency.ts'
import './requests/ill-formed-text.ts'
import './requests/person-names.ts'
import './requests/preferences.ts'
import './requests/topics.ts'
import './requests/schedule.ts'
import './requests/languages.ts'
import './requests/mail.ts'
import './requests/recipients.ts'
import './requests/layout-versions.ts'
import './requests/layouts.ts'
import './requests/quiet-hours.ts'
import './requests/documents.ts'
import './requests/long-texts.ts'
import { env, start } from './requests/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())

import type { Queries } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { useOwnSchema } from '@notify/test-kit/database'
import type { TestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'

/** The schema of dispatch with all its tables: a file of tests that imports these has one of its own. */
export let env: TestEnv
export let kit: TestKit
export let db: Queries
useOwnSchema('dispatch', { migrations }, (own) => {
  ;({ env, kit, db } = own)
})

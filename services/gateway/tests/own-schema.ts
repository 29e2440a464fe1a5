import type { TestEnv } from '@notify/dev-env'
import { openOwnSchema as open } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/schema.ts'

/** The schema of the gateway with all its tables. */
export const openOwnSchema = (env: TestEnv, options: { poolSize?: number } = {}) =>
  open<Tables>(env, 'gateway', { migrations, ...options })

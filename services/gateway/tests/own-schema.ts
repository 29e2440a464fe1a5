import { openOwnSchema as open } from '@notify/test-kit/own-schema'
import type { TestEnv } from '../../../packages/dev-env/src/index.ts'
import { migrations } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/schema.ts'

/** The schema of the gateway with all its tables. */
export const openOwnSchema = (env: TestEnv, options: { poolSize?: number } = {}) =>
  open<Tables>(env, 'gateway', { migrations, ...options })

import { openOwnSchema as open } from '@notify/test-kit/own-schema'
import type { Migrations } from '../../../packages/database/src/index.ts'
import type { TestEnv } from '../../../packages/dev-env/src/index.ts'
import { migrations as all } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/schema.ts'

/** The schema of the gateway, with all its tables or those of some migrations. */
export const openOwnSchema = (env: TestEnv, options: { poolSize?: number; migrations?: Migrations } = {}) =>
  open<Tables>(env, 'gateway', { migrations: all, ...options })

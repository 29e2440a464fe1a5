import type { Migrations } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { openOwnSchema as open } from '@notify/test-kit/database'
import { migrations as all } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/schema.ts'

/** The schema of the gateway, with all its tables or those of some migrations. */
export const openOwnSchema = (env: TestEnv, options: { poolSize?: number; migrations?: Migrations } = {}) =>
  open<Tables>(env, 'gateway', { migrations: all, ...options })

import type { Migrations } from '@notify/database'
import * as foundation from './migrations/0001-foundation.ts'
import * as suppressions from './migrations/0003-suppressions.ts'

export const migrations: Migrations = { '0001-foundation': foundation, '0003-suppressions': suppressions }

import type { Migrations } from '@notify/database'
import * as foundation from './migrations/0001-foundation.ts'
import * as templates from './migrations/0004-templates.ts'

export const migrations: Migrations = { '0001-foundation': foundation, '0004-templates': templates }

import type { Migrations } from '@notify/database'
import * as foundation from './migrations/0001-foundation.ts'
import * as activityMode from './migrations/0002-activity-mode.ts'

export const migrations: Migrations = { '0001-foundation': foundation, '0002-activity-mode': activityMode }

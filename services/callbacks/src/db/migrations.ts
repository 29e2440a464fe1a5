import { deadLetterTables, type Migrations, outboxTables } from '@notify/database'
import { baseline } from './migrations/0001-baseline.ts'
import { movedTenants } from './migrations/0002-moved-tenants.ts'

export const migrations: Migrations = [...outboxTables, ...deadLetterTables, baseline, movedTenants]

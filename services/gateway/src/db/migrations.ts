import { deadLetterTables, type Migrations, walkTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'

export const migrations: Migrations = [...deadLetterTables, ...walkTables, foundation]

import { deadLetterTables, type Migrations } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'

export const migrations: Migrations = [...deadLetterTables, foundation]

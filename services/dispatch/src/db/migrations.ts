import type { Migrations } from '@notify/database'
import * as foundation from './migrations/0001-foundation.ts'

export const migrations: Migrations = { '0001-foundation': foundation }

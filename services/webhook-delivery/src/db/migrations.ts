import type { Migrations } from '@notify/database'

export const migrations: Migrations = []

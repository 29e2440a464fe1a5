import type { Database } from '@notify/database'
import type { Bus } from '@notify/messaging'
import type { Tables } from './db/schema.ts'

export interface Context {
  db: Database<Tables>
  bus: Bus
}

import type { Migrations } from '@notify/database'
import * as foundation from './migrations/0001-foundation.ts'
import * as sendersAndTopics from './migrations/0002-senders-and-topics.ts'
import * as streamLosses from './migrations/0003-stream-losses.ts'

export const migrations: Migrations = {
  '0001-foundation': foundation,
  '0002-senders-and-topics': sendersAndTopics,
  '0003-stream-losses': streamLosses,
}

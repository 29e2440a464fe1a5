import type { Migration } from '@notify/database'

export const reads: Migration = {
  name: '0009-reads',
  transaction: ['alter table attempts add column read_at timestamptz'],
}

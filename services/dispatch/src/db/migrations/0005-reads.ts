import type { Migration } from '@notify/database'

export const reads: Migration = {
  name: '0005-reads',
  transaction: ['alter table attempts add column read_at timestamptz'],
}

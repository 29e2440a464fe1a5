import type { Migration } from '@notify/database'

export const keyPredecessors: Migration = {
  name: '0023-key-predecessors',
  transaction: ['alter table api_keys add column predecessor_id text'],
}

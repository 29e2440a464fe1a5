import type { Migration } from '@notify/database'

export const keyExpiry: Migration = {
  name: '0005-key-expiry',
  transaction: ['alter table api_keys add column expires_at timestamptz'],
}

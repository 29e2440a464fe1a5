import type { Migration } from '@notify/database'

export const providerAccounts: Migration = {
  name: '0007-provider-accounts',
  index: { name: 'providers_account', on: 'on providers (kind, account_id) where account_id is not null' },
}

import type { Migration } from '@notify/database'

export const providersReserved: Migration = {
  name: '0008-providers-reserved',
  index: { name: 'providers_reserved', on: 'on providers (updated_at) where reserved_for is not null' },
}

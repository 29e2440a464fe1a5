import type { Migration } from '@notify/database'

export const parentIndex: Migration = {
  name: '0003-parent-index',
  index: { name: 'providers_parent', on: 'on providers (kind, parent_id) where parent_id is not null' },
}

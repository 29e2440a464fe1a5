import type { Migration } from '@notify/database'

export const keysByApplication: Migration = {
  name: '0006-keys-by-application',
  index: { name: 'api_keys_by_application', on: 'on api_keys (application_id, id desc)' },
}

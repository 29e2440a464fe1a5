import type { Migration } from '@notify/database'

export const reservedProviders: Migration = {
  name: '0007-reserved-providers',
  transaction: ['alter table providers add column reserved_for text, alter column secret drop not null'],
}

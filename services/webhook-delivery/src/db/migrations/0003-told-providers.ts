import type { Migration } from '@notify/database'

export const toldProviders: Migration = {
  name: '0003-told-providers',
  transaction: ['alter table providers add column version int not null default 0'],
}

import type { Migration } from '@notify/database'

export const balanceLease: Migration = {
  name: '0012-balance-lease',
  transaction: [
    // One row: the worker that counts for all.
    `create table balance_lease (
         one boolean primary key default true check (one),
         holder text not null,
         leased_until timestamptz not null
       )`,
  ],
}

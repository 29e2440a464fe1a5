import type { Migration } from '@notify/database'

/** Tenants that another cell serves, and to which callbacks of their carriers are forwarded for a while. */
export const movedTenants: Migration = {
  name: '0002-moved-tenants',
  transaction: [
    `create table moved_tenants (
       tenant_id text primary key,
       cell text not null,
       moved_at timestamptz not null default now()
     )`,
  ],
}

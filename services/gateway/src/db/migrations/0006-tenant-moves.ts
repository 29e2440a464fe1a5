import type { Migration } from '@notify/database'

/** A tenant that moved to another cell stays, so that its keys are answered with the way there. One that arrives is not served yet. */
export const tenantMoves: Migration = {
  name: '0006-tenant-moves',
  transaction: [
    `alter table tenants add column moved_to text, add column moved_at timestamptz,
       add column arriving boolean not null default false`,
  ],
}

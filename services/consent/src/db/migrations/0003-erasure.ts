import type { Migration } from '@notify/database'

/** The ledger stays append-only but for one change: an entry loses the person that it was about. */
export const erasure: Migration = {
  name: '0003-erasure',
  transaction: [
    `create or replace function keep_consent_entries() returns trigger language plpgsql as $$
       begin
         if tg_op = 'UPDATE' and new.recipient_index = 'erased ' || old.id and new.evidence_index is null and new.origin is null
           and row(new.id, new.tenant_id, new.mode, new.sequence, new.action, new.source, new.status, new.recorded_at)
             is not distinct from row(old.id, old.tenant_id, old.mode, old.sequence, old.action, old.source, old.status, old.recorded_at)
         then
           return new;
         end if;
         raise exception 'the ledger is append-only';
       end $$`,
  ],
}

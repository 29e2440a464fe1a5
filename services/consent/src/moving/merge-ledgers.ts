import type { MovingClient } from '@notify/database'

/**
 * Both cells of a move record a STOP that came to the old address, each as its own entry. Neither is lost: the incoming one is
 * added without its origin, and after the entries of this cell.
 */
const ofNumber = `held.tenant_id = incoming.tenant_id and held.mode = incoming.mode
  and held.recipient_index = incoming.recipient_index`

/** SQL: the origin of an incoming entry, unless this cell has another entry of the same message. */
export const entryOrigin = `case when not exists (
    select from consent_entries held where ${ofNumber} and held.origin = incoming.origin and held.id <> incoming.id)
  then incoming.origin end`

/** SQL: the number of an incoming entry in the ledger of this cell. */
export const entrySequence = `coalesce(
  (select held.sequence from consent_entries held where held.id = incoming.id),
  case when bool_or(exists (
      select from consent_entries held where ${ofNumber} and held.sequence = incoming.sequence and held.id <> incoming.id))
    over (partition by incoming.tenant_id, incoming.mode, incoming.recipient_index)
  then (select max(held.sequence) from consent_entries held where ${ofNumber}) + count(*) filter (
    where not exists (select from consent_entries held where held.id = incoming.id)) over (
    partition by incoming.tenant_id, incoming.mode, incoming.recipient_index order by incoming.sequence)::int
  else incoming.sequence end)`

/**
 * Brings imported consents that lack entries up to the ledger of both cells: the next entry is numbered after all of them, and
 * a stop that the other cell does not know counts, unless the recipient agreed or chose again later.
 */
export async function mergeLedgers(client: MovingClient, tenantId: string): Promise<void> {
  await client.query(
    `with ledger as (
       select mode, recipient_index, max(sequence) as sequence, max(recorded_at) as changed_at,
         max(recorded_at) filter (where (action, status) = ('opt_out', 'revoked')) as revoked_at,
         (array_agg(id order by recorded_at desc) filter (where (action, status) = ('opt_out', 'revoked')))[1] as revoked_by,
         max(recorded_at) filter (where action = 'marketing_stop') as stopped_at,
         max(recorded_at) filter (where action = 'marketing_resume') as resumed_at
       from consent_entries where tenant_id = $1 and recipient_index <> 'erased ' || id
       group by mode, recipient_index
     ), judged as (
       select ledger.*, c.status, c.marketing_stopped, c.marketing_chosen_at, c.agreed_at, c.entry_id,
         c.sequence as known_sequence, c.changed_at as known_changed_at,
         revoked_at is not null and c.status is distinct from 'revoked' and (c.agreed_at is null or c.agreed_at < revoked_at)
           as revokes,
         stopped_at is not null and c.marketing_stopped is not true and (resumed_at is null or resumed_at < stopped_at)
           and (c.marketing_chosen_at is null or c.marketing_chosen_at < stopped_at) as stops
       from ledger left join consents c
         on c.tenant_id = $1 and c.mode = ledger.mode and c.recipient_index = ledger.recipient_index
     )
     insert into consents as known (tenant_id, mode, recipient_index, status, marketing_stopped, marketing_chosen_at, agreed_at,
       sequence, entry_id, changed_at)
     select $1, mode, recipient_index, case when revokes then 'revoked' else coalesce(status, 'none') end,
       stops or coalesce(marketing_stopped, false), case when stops then stopped_at else marketing_chosen_at end, agreed_at,
       sequence, case when revokes then revoked_by else entry_id end, greatest(changed_at, known_changed_at)
     from judged where known_sequence is null or known_sequence < sequence
     on conflict (tenant_id, mode, recipient_index) do update
     set status = excluded.status, marketing_stopped = excluded.marketing_stopped,
       marketing_chosen_at = excluded.marketing_chosen_at, sequence = greatest(known.sequence, excluded.sequence),
       entry_id = excluded.entry_id, changed_at = excluded.changed_at`,
    [tenantId],
  )
}

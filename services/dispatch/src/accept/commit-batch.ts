import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { factsInto, workInto } from '../notifications/fact-sql.ts'
import type { NewNotification } from './accept-item.ts'

/** One statement, one transaction: idempotency records, notifications, work and facts. */
const commit: Statement = {
  name: 'commit-accepted',
  text: `
    with input as (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::bytea[], $11::jsonb[], $12::int[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[])
        as t (id, tenant_id, application_id, channel, lane, mode, event_key, recipient_masked,
          recipient_index, payload, metadata, credits, traceparent, scope, key, fingerprint, response)
    ), keys as (
      insert into idempotency_keys (scope, key, fingerprint, status, response)
      select scope, key, fingerprint, 202, response from input where key is not null order by scope, key
      on conflict (scope, key) do update
        set fingerprint = excluded.fingerprint, status = excluded.status, response = excluded.response,
            expires_at = now() + interval '24 hours'
        where idempotency_keys.expires_at < now()
      returning scope, key
    ), inserted as (
      insert into notifications (id, tenant_id, application_id, channel, lane, mode, event_key, recipient_masked,
        recipient_index, payload, metadata, credits, traceparent)
      select id, tenant_id, application_id, channel, lane, mode, event_key, recipient_masked,
        recipient_index, payload, metadata, credits, traceparent
      from input left join keys using (scope, key)
      where input.key is null or keys.key is not null
      on conflict (id) do nothing
      returning *
    ), work as (${workInto('inserted')}), facts as (${factsInto('inserted')})
    select id from inserted`,
}

/**
 * Commits notifications together.
 * @returns the ids that are now committed; missing are those whose idempotency key, or id, was committed before
 */
export async function commitBatch(db: Database<Tables>, batch: readonly NewNotification[]): Promise<Set<string>> {
  const column = <T>(read: (item: NewNotification) => T) => batch.map(read)
  const rows = await db.run<{ id: string }>(commit, [
    column(({ candidate }) => candidate.notificationId),
    column(({ candidate }) => candidate.principal.tenant_id),
    column(({ candidate }) => candidate.principal.application_id),
    column(({ channel }) => channel),
    column(({ lane }) => lane),
    column(({ candidate }) => candidate.principal.mode),
    column(({ candidate }) => candidate.request.event_key ?? null),
    column(({ recipientMasked }) => recipientMasked),
    column(({ recipientIndex }) => recipientIndex),
    column(({ payload }) => payload),
    column(({ candidate }) => (candidate.request.metadata ? JSON.stringify(candidate.request.metadata) : null)),
    column(({ credits }) => credits),
    column(({ candidate }) => candidate.traceparent),
    column(({ candidate }) => candidate.idempotency?.scope ?? null),
    column(({ candidate }) => candidate.idempotency?.key ?? null),
    column(({ candidate }) => candidate.idempotency?.fingerprint ?? null),
    column(({ response }) => response),
  ])
  return new Set(rows.map(({ id }) => id))
}

const known: Statement = {
  name: 'find-idempotency-keys',
  text: `select scope, key, fingerprint, status, response from idempotency_keys
         where (scope, key) in (select * from unnest($1::text[], $2::text[])) and expires_at > now()`,
}

export interface KnownAnswer {
  scope: string
  key: string
  fingerprint: string
  status: number
  response: string
}

/** The answers already given under these keys. */
export function findAnswers(db: Database<Tables>, keys: readonly { scope: string; key: string }[]): Promise<KnownAnswer[]> {
  return db.run<KnownAnswer>(known, [keys.map(({ scope }) => scope), keys.map(({ key }) => key)])
}

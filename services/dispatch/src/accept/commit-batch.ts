import { notificationChanged, type SuppressionReason } from '@notify/contracts'
import { keysInto, messagesOf, messagesSql, messageValues, type Run, type Statement } from '@notify/database'
import { suppressedBecause } from '../catalogue/suppressions/suppressed-because.ts'
import { type Channels, handedOverChannels } from '../channels/channel.ts'
import { factsInto, toldColumns } from '../outcome/facts/fact-sql.ts'
import { orderedWork, unorderedWork } from '../outcome/hand-offs/work-sql.ts'
import type { NewNotification } from './accept-item.ts'
import { factOf, initialHandOffs } from './initial-events.ts'

/**
 * One statement, one transaction: idempotency records, notifications, hand-offs and facts. The messages come ready-made, which
 * costs a third less than making them here; they are right only if every notification is new. Otherwise the statement
 * makes them of those that are. It always makes the hand-offs that keep an order. Nobody is refused for a suppression whose
 * notification is committed already: then this is the same call once more, whose answer was lost.
 */
const commit = (channels: Channels, messages: number): Statement => ({
  name: `commit-accepted-${messages}`,
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, channel text, lane text,
        mode text, event_key text, recipient_masked text, recipient_index text, payload text, metadata text, credits int, category text,
        traceparent text, status text, send_at timestamptz, expires_at timestamptz, erase_when_terminal boolean, created_at timestamptz, scope text, key text, fingerprint text, response text)
    ), judged as (
      select *, ${suppressedBecause('input')} as reason from input
    ), suppressed as (
      select id, reason from judged
      where reason is not null and not exists (select from notifications n where n.id = judged.id)
    ), allowed as (
      select * from judged where id not in (select id from suppressed)
    ), keys as (
      ${keysInto(`(select scope, key, fingerprint, 202 as status, response from allowed where key is not null) as keyed`)}
    ), inserted as (
      insert into notifications (id, tenant_id, application_id, channel, lane, mode, event_key, recipient_masked,
        recipient_index, payload, metadata, credits, category, traceparent, status, send_at, next_attempt_at, expires_at,
        erase_when_terminal, created_at, updated_at)
      select id, tenant_id, application_id, channel, lane, mode, event_key, recipient_masked,
        recipient_index, decode(payload, 'base64'), decode(metadata, 'base64'), credits, category, traceparent, status, send_at,
        send_at, expires_at, erase_when_terminal, created_at, created_at
      from allowed
      where key is null or (scope, key) in (table keys)
      on conflict (id) do nothing
      returning ${toldColumns}${handedOverChannels(channels).length > 0 ? ', payload, send_at' : ''}
    ), messages as (
      insert into outbox (subject, events) ${messagesSql(messages, 3)}
      where (select count(*) from inserted) = $2
    ), part as (select * from inserted where (select count(*) from inserted) <> $2),
    ${unorderedWork(channels, `part where status = 'queued'`)}, ${orderedWork(channels, `inserted where status = 'queued'`)}
    facts as (${factsInto('part')})
    select id, null as reason from inserted
    union all select id, reason from suppressed`,
})

/** Its text is long, and the same for every batch with as many messages. */
const statements = new WeakMap<Channels, Map<number, Statement>>()

function commitOf(channels: Channels, messages: number): Statement {
  const known = statements.get(channels) ?? new Map<number, Statement>()
  const statement = known.get(messages) ?? commit(channels, messages)
  statements.set(channels, known.set(messages, statement))
  return statement
}

/** What became of the notifications of a batch, by their ids. */
export interface Committed {
  ids: Set<string>
  /** Not committed, because the recipient is suppressed. */
  suppressed: Map<string, SuppressionReason>
}

/**
 * Commits notifications together.
 * @returns what is committed or refused now; missing are those whose idempotency key, or id, was committed before
 */
export async function commitBatch(run: Run, channels: Channels, batch: readonly NewNotification[]): Promise<Committed> {
  const createdAt = new Date().toISOString()
  const messages = [
    ...initialHandOffs(channels, batch, createdAt),
    ...messagesOf(
      notificationChanged,
      batch.map((one) => factOf(one, createdAt)),
    ),
  ]
  const rows = await run<{ id: string; reason: SuppressionReason | null }>(commitOf(channels, messages.length), [
    JSON.stringify(batch.map((one) => rowOf(one, createdAt))),
    batch.length,
    ...messageValues(messages),
  ])
  const committed: Committed = { ids: new Set(), suppressed: new Map() }
  for (const { id, reason } of rows) {
    if (reason === null) committed.ids.add(id)
    else committed.suppressed.set(id, reason)
  }
  return committed
}

function rowOf(
  {
    candidate,
    channel,
    lane,
    recipientMasked,
    recipientIndex,
    payload,
    metadata,
    sendAt,
    credits,
    category,
    response,
  }: NewNotification,
  createdAt: string,
) {
  const { notificationId, principal, request, traceparent, idempotency, terms } = candidate
  return {
    id: notificationId,
    tenant_id: principal.tenant_id,
    application_id: principal.application_id,
    channel,
    lane,
    mode: principal.mode,
    event_key: request.event_key,
    recipient_masked: recipientMasked,
    recipient_index: recipientIndex,
    payload: payload.toString('base64'),
    metadata: metadata?.toString('base64'),
    credits,
    category,
    traceparent,
    status: sendAt ? 'scheduled' : 'queued',
    send_at: sendAt,
    expires_at: terms?.expiresAt,
    erase_when_terminal: terms?.eraseWhenTerminal ?? false,
    created_at: createdAt,
    ...(idempotency ? { ...idempotency, response } : {}),
  }
}

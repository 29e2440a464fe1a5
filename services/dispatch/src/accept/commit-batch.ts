import { notificationChanged, type SuppressionReason } from '@notify/contracts'
import {
  column,
  defineStatements,
  keysInto,
  messagesOf,
  messagesSql,
  messageValues,
  type OutboxMessage,
  type Outgoing,
  type Run,
  tryKeySql,
} from '@notify/database'
import type { z } from 'zod'
import {
  type DigestOf,
  itemColumns,
  itemColumnsOf,
  itemsWithDigests,
  joinDigests,
  joinedDigest,
  lockedDigestSql,
} from '../catalogue/digests/join-digests-sql.ts'
import { type OptOut, optedOutBecause } from '../catalogue/preferences/opted-out-because.ts'
import { suppressedBecause } from '../catalogue/suppressions/suppressed-because.ts'
import type { Channels } from '../channels/channel.ts'
import { keepParts } from '../channels/keep-parts-sql.ts'
import { channels as registry } from '../channels/registry.ts'
import { handOffMessages } from '../outcome/hand-offs/hand-off-events.ts'
import { handOffColumns, lockedInboxSql } from '../outcome/hand-offs/order-sql.ts'
import { orderedWork } from '../outcome/hand-offs/work-sql.ts'
import { expiryOf, firstStatusOf, type Kind, kindOf, kinds, leavesFact, type NewNotification } from './accept-item.ts'

/**
 * Another request has the key of a notification, or another transaction its inbox or digest; or the notification is committed
 * already: a call whose answer was lost is repeated.
 */
export type Known = 'held' | 'locked' | 'committed'

/** Why a notification is not committed. */
export type Fault = Known | 'called_off' | SuppressionReason | OptOut

const moreColumns: Record<Kind, string> = {
  '': '',
  '-ordered': ', waits boolean',
  '-parts': ', copies json, files text',
  '-digest': `, ${itemColumns}`,
}

/**
 * One statement, one transaction. It writes all of the batch or nothing, because most messages are parameters: making them in
 * SQL costs half as much again. The division fails if the key of another request was committed after the snapshot.
 */
const commitsOf = (channels: Channels, kind: Kind) =>
  defineStatements(
    (messages: number) => ({
      name: `commit-accepted-${messages}${kind}`,
      text: `
    with judged as (
      select *, case
          when key is not null and (not ${tryKeySql('scope', 'key')} or (select true from idempotency_keys k
            where k.scope = input.scope and k.key = input.key and k.expires_at >= now())) then 'held'
          when (select true from notifications n where n.id = input.id) then 'committed'
          when (select true from broadcasts b where b.id = input.broadcast_id and b.status = 'cancelled') then 'called_off'
          else coalesce(${suppressedBecause('input')}, ${optedOutBecause('input')}${kind === '-ordered' ? `, ${lockedInboxSql('input')}` : kind === '-digest' ? `, ${lockedDigestSql('input')}` : ''})
        end as fault
      from json_to_recordset($1::json) as input (id text, tenant_id text, application_id text, channel text, lane text,
        mode text, event_key text, topic text, user_index text, broadcast_id text, digest_id text, recipient_masked text, recipient_index text, payload text, metadata text, credits int, category text, country_prefix text, segments smallint,
        traceparent text, status text, send_at timestamptz, expires_at timestamptz, erase_when_terminal boolean, created_at timestamptz, locale text, requested_locale text, scope text, key text, fingerprint text, response text${moreColumns[kind]})
    ), fresh as (
      select * from judged where not exists (select from judged where fault is not null)
    ), keys as (
      ${keysInto(`(select scope, key, fingerprint, 202 as status, response from fresh where key is not null) as keyed`)}
    ), ${kind === '-digest' ? joinDigests : ''} inserted as (
      insert into notifications (id, tenant_id, application_id, channel, lane, mode, event_key, topic, user_index, broadcast_id, digest_id, recipient_masked,
        recipient_index, payload, metadata, credits, category, country_prefix, segments, traceparent, status, send_at, next_attempt_at, expires_at,
        erase_when_terminal, created_at, updated_at, locale, requested_locale)
      select id, tenant_id, application_id, channel, lane, mode, event_key, topic, user_index, broadcast_id, ${kind === '-digest' ? joinedDigest : 'digest_id'}, recipient_masked,
        recipient_index, decode(payload, 'base64'), decode(metadata, 'base64'), credits, category, country_prefix, segments, traceparent, status, send_at,
        send_at, expires_at, erase_when_terminal, created_at, created_at, locale, requested_locale
      from ${kind === '-digest' ? itemsWithDigests : 'fresh'}
      returning status, ${handOffColumns}
    ), ${kind === '-ordered' ? orderedWork(channels, `inserted where status = 'queued'`) : kind === '-parts' ? keepParts : ''} messages as (
      insert into outbox (subject, events) ${messagesSql(messages, 2)} where exists (select from fresh)
    )
    select (select json_object_agg(id, fault) from judged where fault is not null) as faults,
      1 / ((select count(*) from keys) = (select count(key) from fresh))::int as is_whole`,
      columns: { faults: column.json<Record<string, Fault>>().nullable(), is_whole: column.integer() },
    }),
    0,
    1,
  )

/** Made once for each number of messages: the text is long. */
const made = new Map([[registry, statementsOf(registry)]])

/** The statement of a kind that commits notifications with so many ready messages. */
function commitOf(channels: Channels, kind: Kind, messages: number) {
  const statements = made.get(channels) ?? statementsOf(channels)
  made.set(channels, statements)
  return statements[kind](messages)
}

function statementsOf(channels: Channels) {
  const of = (kind: Kind) => commitsOf(channels, kind)
  return { '': of(''), '-ordered': of('-ordered'), '-parts': of('-parts'), '-digest': of('-digest') }
}

/** Codes of division_by_zero and unique_violation. */
const raceCodes: unknown[] = ['22012', '23505']
const mostRaces = 3

/** Whether it waits for an inbox or digest that another transaction holds; else what goes into that one is not committed. */
export interface Patience {
  waits: boolean
}

/**
 * Commits notifications together. Where some cannot be committed, a second try commits the others.
 * @returns why which notifications are not committed, by their ids
 */
export async function commitBatch(
  run: Run,
  channels: Channels,
  batch: readonly NewNotification[],
  patience: Patience = { waits: true },
): Promise<Map<string, Fault>> {
  const faults = new Map<string, Fault>()
  const groups = Map.groupBy(batch, (one) => kindOf(channels, one))
  for (const kind of kinds)
    await commitGroup((left) => tryCommit(run, channels, left, { kind, ...patience }), groups.get(kind) ?? [], faults)
  return faults
}

async function commitGroup(
  commit: (left: readonly NewNotification[]) => Promise<Record<string, Fault>>,
  group: readonly NewNotification[],
  faults: Map<string, Fault>,
): Promise<void> {
  let left = group
  for (let races = 0; left.length > 0; ) {
    try {
      const found = Object.entries(await commit(left))
      if (found.length === 0) break
      for (const [id, fault] of found) faults.set(id, fault)
      left = left.filter(({ candidate }) => !faults.has(candidate.notificationId))
    } catch (error) {
      if (!raceCodes.includes((error as { code?: unknown }).code) || races++ === mostRaces) throw error
    }
  }
}

/** Commits all, or nothing. @returns the faults by id; without any, all are committed */
async function tryCommit(
  run: Run,
  channels: Channels,
  batch: readonly NewNotification[],
  { kind, waits }: Patience & { kind: Kind },
): Promise<Record<string, Fault>> {
  const createdAt = new Date().toISOString()
  const facts = batch.filter(leavesFact).map((one) => factOf(one, createdAt))
  const messages = [...initialHandOffs(channels, batch, createdAt), ...messagesOf(notificationChanged, facts)]
  const digestOf = itemColumnsOf()
  const [row] = await run(commitOf(channels, kind, messages.length), [
    JSON.stringify(batch.map((one) => ({ ...rowOf(one, createdAt, digestOf), waits }))),
    ...messageValues(messages),
  ])
  return row!.faults ?? {}
}

function rowOf(one: NewNotification, createdAt: string, digestOf: DigestOf) {
  const { candidate, joined } = one
  const { notificationId, principal, request, traceparent, idempotency, terms, broadcastId, digestId } = candidate
  const row = {
    id: notificationId,
    tenant_id: principal.tenant_id,
    application_id: principal.application_id,
    channel: one.channel,
    lane: one.lane,
    mode: principal.mode,
    event_key: request.event_key,
    topic: one.topic,
    broadcast_id: broadcastId,
    digest_id: digestId,
    recipient_masked: one.recipientMasked,
    recipient_index: one.recipientIndex,
    user_index: one.userIndex,
    payload: one.payload.toString('base64'),
    copies: one.copies?.map((copy, position) => ({ ...copy, position })),
    files: one.files?.toString('base64'),
    metadata: one.metadata?.toString('base64'),
    credits: one.credits,
    category: one.category,
    country_prefix: one.countryPrefix,
    segments: one.segments,
    traceparent,
    status: firstStatusOf(one),
    send_at: one.sendAt,
    expires_at: expiryOf(candidate),
    erase_when_terminal: terms?.eraseWhenTerminal ?? false,
    created_at: createdAt,
    locale: one.locale,
    requested_locale: request.locale,
    scope: idempotency?.scope,
    key: idempotency?.key,
    fingerprint: idempotency?.fingerprint,
    response: idempotency && one.response,
  }
  return joined ? { ...row, ...digestOf(joined) } : row
}

/** The messages that hand new notifications over to other services. Left out: those for later, and those that the commit puts in order. */
function initialHandOffs(channels: Channels, batch: readonly NewNotification[], createdAt: string): OutboxMessage[] {
  const due = batch.filter((one) => firstStatusOf(one) === 'queued')
  return [...Map.groupBy(due, ({ channel }) => channels[channel]!.delivery)].flatMap(([delivery, group]) =>
    delivery.by === 'hand-off' && !delivery.keepsOrder ? handOffMessages(delivery, group, createdAt) : [],
  )
}

/** The fact that a new notification is queued, or scheduled: what `factsInto` would make of its row. */
function factOf(one: NewNotification, createdAt: string): Outgoing<z.input<typeof notificationChanged.schema>> {
  const { candidate, channel, lane, credits, category } = one
  const { notificationId, principal, request, traceparent, broadcastId, digestId } = candidate
  const event = {
    notification_id: notificationId,
    tenant_id: principal.tenant_id,
    application_id: principal.application_id,
    mode: principal.mode,
    revision: 1,
    lane,
    channel,
    event_key: request.event_key,
    status: firstStatusOf(one),
    recipient_masked: one.recipientMasked,
    recipient_index: one.recipientIndex,
    retryable: false,
    retry_count: 0,
    credits,
    category: category ?? undefined,
    country_prefix: one.countryPrefix ?? undefined,
    segments: one.segments ?? undefined,
    locale: one.locale,
    requested_locale: request.locale,
    broadcast_id: broadcastId ?? undefined,
    digest_id: digestId ?? undefined,
    created_at: createdAt,
    occurred_at: createdAt,
  }
  return { event, traceparent }
}

import type {
  AttemptOutcome,
  Channel,
  DeliveryStatus,
  EventTemplates,
  EventTranslations,
  Lane,
  SuppressionChannel,
  SuppressionReason,
  TranslationBases,
} from '@notify/contracts'
import { column, createBuilder, type TablesOf } from '@notify/database'
import { audienceTables } from './audience-tables.ts'
import { carrierTemplateTables } from './carrier-template-tables.ts'
import { digestTables } from './digest-tables.ts'
import { domainTables } from './domain-tables.ts'
import { eventTables } from './event-tables.ts'
import { failureTables } from './failure-tables.ts'
import { mailTables } from './mail-tables.ts'
import { preferenceTables } from './preference-tables.ts'
import { recipientTables } from './recipient-tables.ts'

export const tables = {
  ...eventTables,
  providers: {
    id: column.id('prov'),
    tenant_id: column.id('ten'),
    application_id: column.id('app').nullable(),
    channel: column.text<Channel>(),
    kind: column.text(),
    name: column.text(),
    priority: column.integer(),
    /** The share of messages among providers of equal priority, 0 to 100. */
    weight: column.integer().withDefault(),
    revision: column.integer().withDefault(),
    credentials: column.bytes(),
    /** Messages per second that the account accepts; null: no limit. */
    rate_limit_per_second: column.integer().nullable(),
    /** The carrier's id of the account, where only one tenant may connect it. */
    account_id: column.text().nullable(),
    /** Whether this cell keeps the domains at the account: false after its tenant has left, and before it has arrived. */
    keeps_domains: column.boolean().withDefault(),
    credentials_updated_at: column.timestamp().withDefault().withDefault(),
    /** The operator who changed it last; null: the bootstrap document, which then may change it again. */
    updated_by: column.text().nullable(),
    created_at: column.timestamp().withDefault().withDefault(),
    /** Since when nothing new is sent through it; its receipts still count until it is purged. */
    deleted_at: column.timestamp().nullable(),
    /** When its credentials were erased. */
    purged_at: column.timestamp().nullable(),
    /** The webhook subscription that it signs for alone. */
    subscription_id: column.id('whsub').nullable(),
    updated_at: column.timestamp().withDefault(),
  },
  /** Earliest start of the next send of a rate-limited provider, in Unix milliseconds. */
  send_slots: {
    provider_id: column.id('prov'),
    /** The share of the rate for all lanes. */
    shared_ms: column.double().withDefault(),
    /** The share reserved for `otp` and `transactional`. */
    kept_ms: column.double().withDefault(),
    /** The next slot when an urgent message was last put off. */
    urgent_until_ms: column.double().withDefault(),
    bulk_until_ms: column.double().withDefault(),
  },
  notifications: {
    id: column.id('notif'),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    channel: column.text<Channel>(),
    lane: column.text<Lane>(),
    mode: column.text<'live' | 'test'>(),
    event_key: column.text().nullable(),
    /** The topic that it belongs to. */
    topic: column.text().nullable(),
    /** Blind index of the user that the request names beside or in place of an address. */
    user_index: column.text().nullable(),
    status: column.text<DeliveryStatus>().withDefault(),
    /** Incremented with each published change. */
    revision: column.integer().withDefault(),
    recipient_masked: column.text(),
    recipient_index: column.text(),
    broadcast_id: column.id('bc').nullable(),
    /** The digest that it is an item of, or that it is. */
    digest_id: column.id('dig').nullable(),
    /** Recipient and content, encrypted. */
    payload: column.bytes().nullable(),
    /** Metadata of the caller, encrypted. */
    metadata: column.bytes().nullable(),
    credits: column.smallint(),
    /** Of the carrier's template. */
    category: column.text().nullable(),
    /** The digits that tell the country of a phone number, and the parts of an SMS. */
    country_prefix: column.text().nullable(),
    segments: column.smallint().nullable(),
    failure_reason: column.text().nullable(),
    retryable: column.boolean().withDefault(),
    retry_count: column.integer().withDefault(),
    /** Total number of attempts, and the number of the latest. */
    attempt_count: column.integer().withDefault(),
    /** Position in the retry schedule since acceptance or the last operator retry: attempts without immediate failovers. */
    round_attempts: column.smallint().withDefault(),
    /** Number of latest attempts that the next one replaces, with a provider not tried by them. */
    failovers: column.smallint().withDefault(),
    /** Since when all circuit breakers of its providers are open. */
    held_since: column.timestamp().nullable(),
    /** Whether a worker is calling the carrier. */
    sending: column.boolean().withDefault(),
    next_attempt_at: column.timestamp().nullable(),
    /** The action at `next_attempt_at`: another attempt, or failure because the outcome stayed unknown. */
    when_due: column.text<'send' | 'give_up'>().withDefault(),
    /** Since when it is due: of a message that waits for its next attempt, when that will be. */
    enqueued_at: column.timestamp().withDefault(),
    /** Requested time of sending; null: at once. */
    send_at: column.timestamp().nullable(),
    /** It is not sent after this time. */
    expires_at: column.timestamp().nullable(),
    /** Whether Postgres erases the payload once the message was accepted by a carrier or failed. */
    erase_when_terminal: column.boolean().withDefault(),
    /** The receipt did not arrive in time and is no longer expected. */
    receipt_overdue: column.boolean().withDefault(),
    /** Whether nothing more is expected; maintained by Postgres. */
    settled: column.boolean().generated(),
    traceparent: column.text().nullable(),
    /** The language of its text, where it is known, and the one that the request asked for. */
    locale: column.text().nullable(),
    requested_locale: column.text().nullable(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
  /** The open notifications with what schedulers look for. Triggers keep it. */
  in_flight: {
    id: column.id('notif'),
    lane: column.text<Lane>(),
    channel: column.text<Channel>(),
    status: column.text<DeliveryStatus>(),
    /** Whether only its content is still to be erased. */
    settled: column.boolean(),
    /** Since when it has this status. */
    since: column.timestamp(),
    enqueued_at: column.timestamp(),
    next_attempt_at: column.timestamp().nullable(),
    /** Null once the payload is erased. */
    expires_at: column.timestamp().nullable(),
    created_at: column.timestamp(),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    mode: column.text<'live' | 'test'>(),
  },
  /** Queues that send nothing, and since when: all circuit breakers are open, or consent does not answer. */
  held_queues: {
    application_id: column.id('app'),
    channel: column.text<Channel>(),
    mode: column.text<'live' | 'test'>(),
    since: column.timestamp().withDefault(),
  },
  /** The latest hand-off to each recipient, lane by lane, of channels that keep their order. */
  hand_off_tails: {
    recipient_index: column.text(),
    application_id: column.id('app'),
    mode: column.text<'live' | 'test'>(),
    lane: column.text<Lane>(),
    channel: column.text<Channel>(),
    /** Its notification. */
    last_id: column.id('notif'),
    placed_at: column.timestamp().withDefault(),
  },
  ...mailTables,
  ...preferenceTables,
  ...recipientTables,
  ...audienceTables,
  ...digestTables,
  tallies: {
    id: column.bigint().generated(),
    accepted: column.bigint(),
    settled: column.bigint(),
    queued: column.bigint().withDefault(),
    /** Of the queued ones. */
    waiting: column.bigint().withDefault(),
  },
  attempts: {
    notification_id: column.id('notif'),
    number: column.integer(),
    id: column.id('att'),
    provider_id: column.id('prov').nullable(),
    started_at: column.timestamp().withDefault(),
    lease_until: column.timestamp(),
    finished_at: column.timestamp().nullable(),
    outcome: column.text<AttemptOutcome>().nullable(),
    /** Whether the outcome was ever unknown. */
    ambiguous: column.boolean().withDefault(),
    /** The attempt whose key this one has at a carrier that takes keys; null where it repeats none. */
    repeats: column.id('att').nullable(),
    provider_code: column.text().nullable(),
    provider_message: column.text().nullable(),
    provider_message_id: column.text().nullable(),
    /** When the carrier first reported that the recipient read it. */
    read_at: column.timestamp().nullable(),
  },
  ...domainTables,
  ...failureTables,
  balance_lease: { one: column.boolean().withDefault(), holder: column.text(), leased_until: column.timestamp() },
  ...carrierTemplateTables,
  suppressions: {
    id: column.id('sup'),
    tenant_id: column.id('ten'),
    channel: column.text<SuppressionChannel>(),
    recipient_index: column.text(),
    recipient_masked: column.text(),
    reason: column.text<SuppressionReason>(),
    source_notification_id: column.id('notif').nullable(),
    created_at: column.timestamp().withDefault(),
    /** When the latest report arrived; a report from before a lift does not renew it. */
    reported_at: column.timestamp(),
    /** When the latest occurred, by the carrier's clock if it reports it; of a STOP and a START the newest counts. */
    occurred_at: column.timestamp(),
    /** When it was lifted. The row is kept, so that older reports that arrive late change nothing. */
    lifted_at: column.timestamp().nullable(),
  },
  templates: {
    id: column.id('tmpl'),
    tenant_id: column.id('ten'),
    /** The application that may use it; null: all of the tenant. */
    application_id: column.id('app').nullable(),
    name: column.text(),
    templates: column.jsonb<EventTemplates>(),
    translations: column.jsonb<EventTranslations>().nullable(),
    translation_bases: column.jsonb<TranslationBases>().nullable(),
    version: column.integer().withDefault(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
}

export type Tables = TablesOf<typeof tables>

export const build = createBuilder<Tables>()

import type {
  AttemptOutcome,
  Channel,
  DeliveryStatus,
  EventContent,
  EventStatus,
  EventTemplates,
  Lane,
  SuppressionChannel,
  SuppressionReason,
} from '@notify/contracts'
import { column, type TablesOf } from '@notify/database'
import type { Generated, JSONColumnType } from 'kysely'
import { domainTables, type Time } from './domain-tables.ts'

export const tables = {
  events: {
    tenant_id: column<string>(),
    application_id: column<string>(),
    event_key: column<string>(),
    name: column<string>(),
    status: column<EventStatus>(),
    version: column<number>(),
    allowed_channels: column<Channel[]>(),
    templates: column<JSONColumnType<EventTemplates>>(),
    /** Changes since the current version, not published yet. */
    draft: column<JSONColumnType<EventContent | null>>(),
    /** The operator who changed it last; null: the bootstrap document, which then may change it again. */
    updated_by: column<Generated<string | null>>(),
    created_at: column<Time>(),
    updated_at: column<Time>(),
  },
  /** What was published. Rows never change, except those of the bootstrap document. */
  event_versions: {
    tenant_id: column<string>(),
    application_id: column<string>(),
    event_key: column<string>(),
    version: column<number>(),
    name: column<string>(),
    allowed_channels: column<Channel[]>(),
    templates: column<JSONColumnType<EventTemplates>>(),
    published_by: column<string | null>(),
    published_at: column<Time>(),
  },
  providers: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string | null>(),
    channel: column<Channel>(),
    kind: column<string>(),
    name: column<string>(),
    priority: column<number>(),
    revision: column<Generated<number>>(),
    credentials: column<Buffer>(),
    /** Messages per second that the account accepts; null: no limit. */
    rate_limit_per_second: column<number | null>(),
    /** The carrier's id of the account, where only one tenant may connect it. */
    account_id: column<Generated<string | null>>(),
    credentials_updated_at: column<Time>(),
    /** The operator who changed it last; null: the bootstrap document, which then may change it again. */
    updated_by: column<Generated<string | null>>(),
    created_at: column<Time>(),
    /** Since when nothing new is sent through it; its receipts still count until it is purged. */
    deleted_at: column<Time | null>(),
    /** When its credentials were erased. */
    purged_at: column<Time | null>(),
    /** The webhook subscription that it signs for alone. */
    subscription_id: column<Generated<string | null>>(),
    updated_at: column<Time>(),
  },
  /** Earliest start of the next send of a rate-limited provider, in Unix milliseconds. */
  send_slots: {
    provider_id: column<string>(),
    /** The share of the rate for all lanes. */
    shared_ms: column<Generated<number>>(),
    /** The share reserved for `otp` and `transactional`. */
    kept_ms: column<Generated<number>>(),
    /** The end of the slots assigned to postponed urgent messages. */
    urgent_until_ms: column<Generated<number>>(),
    bulk_until_ms: column<Generated<number>>(),
  },
  notifications: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    channel: column<Channel>(),
    lane: column<Lane>(),
    mode: column<'live' | 'test'>(),
    event_key: column<string | null>(),
    status: column<Generated<DeliveryStatus>>(),
    /** Incremented with each published change. */
    revision: column<Generated<number>>(),
    recipient_masked: column<string>(),
    recipient_index: column<string>(),
    /** Recipient and content, encrypted. */
    payload: column<Buffer | null>(),
    /** Metadata of the caller, encrypted. */
    metadata: column<Buffer | null>(),
    credits: column<number>(),
    /** Of the carrier's template. */
    category: column<string | null>(),
    failure_reason: column<string | null>(),
    retryable: column<Generated<boolean>>(),
    retry_count: column<Generated<number>>(),
    /** Total number of attempts, and the number of the latest. */
    attempt_count: column<Generated<number>>(),
    /** Position in the retry schedule since acceptance or the last operator retry: attempts without immediate failovers. */
    round_attempts: column<Generated<number>>(),
    /** Number of latest attempts that the next one replaces, with a provider not tried by them. */
    failovers: column<Generated<number>>(),
    /** Since when all circuit breakers of its providers are open. */
    held_since: column<Time | null>(),
    /** Whether a worker is calling the carrier. */
    sending: column<Generated<boolean>>(),
    next_attempt_at: column<Time | null>(),
    /** The action at `next_attempt_at`: another attempt, or failure because the outcome stayed unknown. */
    when_due: column<Generated<'send' | 'give_up'>>(),
    /** Since when it is due: of a message that waits for its next attempt, when that will be. */
    enqueued_at: column<Time>(),
    /** Requested time of sending; null: at once. */
    send_at: column<Time | null>(),
    /** It is not sent after this time. */
    expires_at: column<Time | null>(),
    /** Whether Postgres erases the payload once the message was accepted by a carrier or failed. */
    erase_when_terminal: column<Generated<boolean>>(),
    /** The receipt did not arrive in time and is no longer expected. */
    receipt_overdue: column<Generated<boolean>>(),
    /** Whether nothing more is expected; maintained by Postgres. */
    settled: column<Generated<boolean>>(),
    traceparent: column<string | null>(),
    created_at: column<Time>(),
    updated_at: column<Time>(),
  },
  /** The open notifications with what schedulers look for. Triggers keep it. */
  in_flight: {
    id: column<string>(),
    lane: column<Lane>(),
    channel: column<Channel>(),
    status: column<DeliveryStatus>(),
    /** Whether only its content is still to be erased. */
    settled: column<boolean>(),
    /** Since when it has this status. */
    since: column<Time>(),
    enqueued_at: column<Time>(),
    next_attempt_at: column<Time | null>(),
    expires_at: column<Time | null>(),
    created_at: column<Time>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    mode: column<'live' | 'test'>(),
  },
  /** Queues for which every provider's circuit breaker is open, and since when. */
  held_queues: {
    application_id: column<string>(),
    channel: column<Channel>(),
    mode: column<'live' | 'test'>(),
    since: column<Generated<Time>>(),
  },
  /** The latest hand-off to each recipient, lane by lane, of channels that keep their order. */
  hand_off_tails: {
    recipient_index: column<string>(),
    application_id: column<string>(),
    mode: column<'live' | 'test'>(),
    lane: column<Lane>(),
    channel: column<Channel>(),
    /** Its notification. */
    last_id: column<string>(),
    placed_at: column<Time>(),
  },
  tallies: {
    id: column<Generated<string>>(),
    accepted: column<string>(),
    settled: column<string>(),
    queued: column<Generated<string>>(),
    /** Of the queued ones. */
    waiting: column<Generated<string>>(),
  },
  attempts: {
    notification_id: column<string>(),
    number: column<number>(),
    id: column<string>(),
    provider_id: column<string | null>(),
    started_at: column<Time>(),
    lease_until: column<Time>(),
    finished_at: column<Time | null>(),
    outcome: column<AttemptOutcome | null>(),
    /** Whether the outcome was ever unknown. */
    ambiguous: column<Generated<boolean>>(),
    provider_code: column<string | null>(),
    provider_message: column<string | null>(),
    provider_message_id: column<string | null>(),
    /** When the carrier first reported that the recipient read it. */
    read_at: column<Date | null>(),
  },
  ...domainTables,
  balance_lease: { one: column<Generated<boolean>>(), holder: column<string>(), leased_until: column<Time>() },
  /** The templates of accounts, as their carriers report them. */
  carrier_templates: {
    provider_id: column<string>(),
    tenant_id: column<string>(),
    name: column<string>(),
    language: column<string>(),
    status: column<string>(),
    category: column<string>(),
    quality: column<string | null>(),
    /** When the carrier was asked or reported the change; an older report never replaces it. */
    reported_at: column<Time>(),
  },
  /** When the templates of an account are read again. */
  carrier_template_syncs: {
    provider_id: column<string>(),
    /** Revision of the credentials for which a reading was planned. */
    revision: column<number>(),
    next_sync_at: column<Time | null>(),
    synced_at: column<Time | null>(),
    failures: column<Generated<number>>(),
    error: column<string | null>(),
  },
  suppressions: {
    id: column<string>(),
    tenant_id: column<string>(),
    channel: column<SuppressionChannel>(),
    recipient_index: column<string>(),
    recipient_masked: column<string>(),
    reason: column<SuppressionReason>(),
    source_notification_id: column<string | null>(),
    created_at: column<Time>(),
    /** Time of the latest report; lifting an older one has no effect. */
    reported_at: column<Time>(),
    /** When it was lifted. The row is kept, so that older reports that arrive late change nothing. */
    lifted_at: column<Time | null>(),
  },
  templates: {
    id: column<string>(),
    tenant_id: column<string>(),
    /** The application that may use it; null: all of the tenant. */
    application_id: column<string | null>(),
    name: column<string>(),
    templates: column<JSONColumnType<EventTemplates>>(),
    version: column<Generated<number>>(),
    created_at: column<Time>(),
    updated_at: column<Time>(),
  },
}

export type Tables = TablesOf<typeof tables>

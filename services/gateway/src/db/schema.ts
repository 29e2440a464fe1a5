import type {
  ActivityStatus,
  AuditActor,
  AuditFields,
  Brand,
  Channel,
  KeyPermission,
  OtpSettings,
} from '@notify/contracts'
import { column, createBuilder, type TablesOf } from '@notify/database'
import type { StoredFilters } from '../retries/stored-filters.ts'
import { requestTables } from './request-tables.ts'

/** The tables of this service's own schema, and their columns. */
export const tables = {
  tenants: {
    id: column.id('ten'),
    name: column.text(),
    rate_limit_per_second: column.integer().nullable(),
    created_at: column.timestamp().withDefault(),
    /** The cell that serves the tenant now; null: this one. */
    moved_to: column.text().nullable(),
    moved_at: column.timestamp().nullable(),
    /** The tenant comes from another cell, which still serves it. */
    arriving: column.boolean().withDefault(),
  },
  /** Names of operators as their access tokens have them. */
  operators: {
    tenant_id: column.id('ten'),
    /** The pseudonym of the token's `sub`. */
    id: column.text(),
    /** JSON of an OperatorProfile, encrypted. */
    profile: column.bytes(),
    seen_at: column.timestamp().withDefault(),
  },
  applications: {
    id: column.id('app'),
    tenant_id: column.id('ten'),
    name: column.text(),
    allowed_origins: column.texts().withDefault(),
    otp: column.jsonb<OtpSettings>().withDefault(),
    default_locale: column.text().nullable(),
    default_time_zone: column.text().nullable(),
    bulk_requires_topic: column.boolean().withDefault(),
    /** How pages that recipients open look. */
    brand: column.jsonb<Brand>().withDefault(),
    /** Incremented with each published change. */
    revision: column.integer().withDefault(),
    /** Changed through the API, so that the bootstrap document no longer changes it. */
    managed: column.boolean().withDefault(),
    deleted_at: column.timestamp().nullable(),
    updated_at: column.timestamp().withDefault(),
    created_at: column.timestamp().withDefault(),
  },
  api_keys: {
    id: column.id('key'),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    name: column.text(),
    mode: column.text<'live' | 'test'>(),
    permissions: column.texts<KeyPermission>(),
    sha256: column.text(),
    rate_limit_per_second: column.integer().nullable(),
    revoked_at: column.timestamp().nullable(),
    /** End of the overlap after a rotation. */
    expires_at: column.timestamp().nullable(),
    /** The key that a rotation replaced by this one. */
    predecessor_id: column.id('key').nullable(),
    managed: column.boolean().withDefault(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
  /** Changes of management data of all services; append-only. */
  audit_log: {
    id: column.id('aud'),
    tenant_id: column.id('ten'),
    application_id: column.id('app').nullable(),
    occurred_at: column.timestamp(),
    actor_kind: column.text<AuditActor['kind']>(),
    actor_id: column.text(),
    action: column.text(),
    resource_type: column.text(),
    resource_id: column.text(),
    before: column.jsonb<AuditFields>().nullable(),
    after: column.jsonb<AuditFields>().nullable(),
    request_id: column.text().nullable(),
    recorded_at: column.timestamp().withDefault(),
  },
  /** Credits charged for the message of each code, so that a fact that arrives again is counted once. Other messages are items of the activity. */
  usage_messages: {
    id: column.text(),
    revision: column.integer(),
    credits: column.integer(),
  },
  /** Sums of what the items of the activity and usage_messages cost. */
  usage_days: {
    tenant_id: column.id('ten'),
    day: column.date(),
    application_id: column.id('app'),
    channel: column.text<Channel>(),
    /** Empty for channels without categories. */
    category: column.text(),
    /** Of a phone number, such as `+49`; empty for other recipients. */
    country_prefix: column.text().withDefault(),
    messages: column.bigint(),
    /** The parts of SMS. */
    segments: column.bigint().withDefault(),
    credits: column.bigint(),
  },
  /** The same of messages whose language is known. */
  usage_locales: {
    tenant_id: column.id('ten'),
    day: column.date(),
    application_id: column.id('app'),
    channel: column.text<Channel>(),
    locale: column.text(),
    messages: column.bigint(),
    credits: column.bigint(),
  },
  activity: {
    id: column.text(),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    /** Mode of the API key. */
    mode: column.text<'live' | 'test'>(),
    revision: column.integer(),
    channel: column.text<Channel>(),
    status: column.text<ActivityStatus>(),
    event_key: column.text().nullable(),
    recipient_masked: column.text(),
    recipient_index: column.text(),
    failure_reason: column.text().nullable(),
    retryable: column.boolean(),
    retry_count: column.integer(),
    /** The language of its text, where it is known, and the one that was asked for. */
    locale: column.text().nullable(),
    requested_locale: column.text().nullable(),
    broadcast_id: column.id('bc').nullable(),
    /** The digest that it is an item of, or that it is. */
    digest_id: column.id('dig').nullable(),
    /** What it was charged; null: nothing so far. */
    credits: column.integer().nullable(),
    created_at: column.timestamp(),
    updated_at: column.timestamp(),
  },
  /** Counts by kind, kept by triggers; event '' stands for all items. */
  activity_totals: {
    tenant_id: column.id('ten'),
    event_key: column.text(),
    application_id: column.text(),
    mode: column.text<'live' | 'test'>(),
    channel: column.text<Channel>(),
    status: column.text<ActivityStatus>(),
    retryable: column.boolean(),
    count: column.bigint(),
  },
  /** Counts by UTC hour and day of creation, kept by triggers; application '' stands for all of them. */
  activity_buckets: {
    tenant_id: column.id('ten'),
    application_id: column.text(),
    width: column.text<'hour' | 'day'>(),
    starts_at: column.timestamp(),
    mode: column.text<'live' | 'test'>(),
    channel: column.text<Channel>(),
    status: column.text<ActivityStatus>(),
    count: column.bigint(),
  },
  /** Jobs that retry items. */
  retry_jobs: {
    id: column.id('retry'),
    tenant_id: column.id('ten'),
    /** The operator's pseudonym. */
    requested_by: column.text(),
    filters: column.jsonb<StoredFilters>(),
    count: column.integer(),
    count_capped: column.boolean(),
    processed: column.integer().withDefault(),
    retried: column.integer().withDefault(),
    skipped: column.integer().withDefault(),
    /** Position of the last item that the job has opened. */
    reached_at: column.timestamp().nullable(),
    reached_id: column.text().nullable(),
    /** Items under way. */
    page: column.texts().nullable(),
    /** Grows with each claim, so that a worker whose lease is over changes nothing. */
    claims: column.integer().withDefault(),
    next_at: column.timestamp().nullable(),
    cancelled: column.boolean().withDefault(),
    created_at: column.timestamp().withDefault(),
    finished_at: column.timestamp().nullable(),
  },
  ...requestTables,
  /** Of one message, or of one part of an SMS, in millionths of the currency. */
  prices: {
    tenant_id: column.id('ten'),
    channel: column.text<Channel>(),
    /** Empty: every country. */
    country_prefix: column.text(),
    /** Empty: every category. */
    category: column.text(),
    micros: column.bigint(),
    currency: column.text(),
  },
}

export type Tables = TablesOf<typeof tables>

export const build = createBuilder<Tables>()

import type { ActivityStatus, AuditActor, AuditFields, Channel, KeyPermission, OtpSettings } from '@notify/contracts'
import { column, type TablesOf } from '@notify/database'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of this service's own schema, and their columns. */
export const tables = {
  tenants: {
    id: column<string>(),
    name: column<string>(),
    rate_limit_per_second: column<number | null>(),
    created_at: column<Time>(),
  },
  applications: {
    id: column<string>(),
    tenant_id: column<string>(),
    name: column<string>(),
    allowed_origins: column<string[]>(),
    otp: column<JSONColumnType<OtpSettings>>(),
    /** Incremented with each published change. */
    revision: column<Generated<number>>(),
    /** Changed through the API, so that the bootstrap document no longer changes it. */
    managed: column<Generated<boolean>>(),
    deleted_at: column<Time | null>(),
    updated_at: column<Time>(),
    created_at: column<Time>(),
  },
  api_keys: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    name: column<string>(),
    mode: column<'live' | 'test'>(),
    permissions: column<KeyPermission[]>(),
    sha256: column<string>(),
    rate_limit_per_second: column<number | null>(),
    revoked_at: column<Time | null>(),
    /** End of the overlap after a rotation. */
    expires_at: column<Time | null>(),
    /** The key that a rotation replaced by this one. */
    predecessor_id: column<string | null>(),
    created_at: column<Time>(),
    updated_at: column<Time>(),
  },
  /** Changes of management data of all services; append-only. */
  audit_log: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string | null>(),
    occurred_at: column<Time>(),
    actor_kind: column<AuditActor['kind']>(),
    actor_id: column<string>(),
    action: column<string>(),
    resource_type: column<string>(),
    resource_id: column<string>(),
    before: column<AuditFields | null>(),
    after: column<AuditFields | null>(),
    request_id: column<string | null>(),
    recorded_at: column<Time>(),
  },
  /** Credits charged for each message, so that a fact that arrives again is counted once. */
  usage_messages: {
    id: column<string>(),
    revision: column<number>(),
    credits: column<number>(),
    /** UTC day of acceptance. */
    day: column<string>(),
  },
  /** Sums of usage_messages. */
  usage_days: {
    tenant_id: column<string>(),
    day: column<string>(),
    application_id: column<string>(),
    channel: column<Channel>(),
    /** Empty for channels without categories. */
    category: column<string>(),
    messages: column<bigint>(),
    credits: column<bigint>(),
  },
  activity: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    /** Mode of the API key. */
    mode: column<'live' | 'test'>(),
    revision: column<number>(),
    channel: column<Channel>(),
    status: column<ActivityStatus>(),
    event_key: column<string | null>(),
    recipient_masked: column<string>(),
    recipient_index: column<string>(),
    failure_reason: column<string | null>(),
    retryable: column<boolean>(),
    retry_count: column<number>(),
    created_at: column<Time>(),
    updated_at: column<Time>(),
  },
  /** Counts by kind, kept by triggers; event '' stands for all items. */
  activity_totals: {
    tenant_id: column<string>(),
    event_key: column<string>(),
    application_id: column<string>(),
    mode: column<'live' | 'test'>(),
    channel: column<Channel>(),
    status: column<ActivityStatus>(),
    retryable: column<boolean>(),
    count: column<bigint>(),
  },
  /** Counts by UTC hour and day of creation, kept by triggers; application '' stands for all of them. */
  activity_buckets: {
    tenant_id: column<string>(),
    application_id: column<string>(),
    width: column<'hour' | 'day'>(),
    starts_at: column<Time>(),
    mode: column<'live' | 'test'>(),
    channel: column<Channel>(),
    status: column<ActivityStatus>(),
    count: column<bigint>(),
  },
  /** Jobs that retry items. */
  retry_jobs: {
    id: column<string>(),
    tenant_id: column<string>(),
    /** The operator's pseudonym. */
    requested_by: column<string>(),
    filters: column<JSONColumnType<object>>(),
    count: column<number>(),
    count_capped: column<boolean>(),
    processed: column<Generated<number>>(),
    retried: column<Generated<number>>(),
    skipped: column<Generated<number>>(),
    /** Position of the last item that the job has opened. */
    reached_at: column<Time | null>(),
    reached_id: column<string | null>(),
    /** Items under way. */
    page: column<string[] | null>(),
    /** Grows with each claim, so that a worker whose lease is over changes nothing. */
    claims: column<Generated<number>>(),
    next_at: column<Time | null>(),
    cancelled: column<Generated<boolean>>(),
    created_at: column<Time>(),
    finished_at: column<Time | null>(),
  },
}

export type Tables = TablesOf<typeof tables>

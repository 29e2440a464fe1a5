import type { ActivityStatus, AuditActor, AuditFields, Channel, KeyPermission, OtpSettings } from '@notify/contracts'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of this service's own schema. */
export interface Tables {
  tenants: { id: string; name: string; rate_limit_per_second: number | null; created_at: Time }
  applications: {
    id: string
    tenant_id: string
    name: string
    allowed_origins: string[]
    otp: JSONColumnType<OtpSettings>
    /** Incremented with each published change. */
    revision: Generated<number>
    /** Changed through the API, so that the bootstrap document no longer changes it. */
    managed: Generated<boolean>
    deleted_at: Time | null
    updated_at: Time | null
    created_at: Time
  }
  api_keys: {
    id: string
    tenant_id: string
    application_id: string
    name: string
    mode: 'live' | 'test'
    permissions: KeyPermission[]
    sha256: string
    rate_limit_per_second: number | null
    revoked_at: Time | null
    /** End of the overlap after a rotation. */
    expires_at: Time | null
    created_at: Time
  }
  /** Changes of management data of all services; append-only. */
  audit_log: {
    id: string
    tenant_id: string
    application_id: string | null
    occurred_at: Time
    actor_kind: AuditActor['kind']
    actor_id: string
    action: string
    resource_type: string
    resource_id: string
    before: AuditFields | null
    after: AuditFields | null
    request_id: string | null
    recorded_at: Time
  }
  /** Credits charged for each message, so that a fact that arrives again is counted once. */
  usage_messages: {
    id: string
    revision: number
    credits: number
    /** UTC day of acceptance. */
    day: string
  }
  /** Sums of usage_messages. */
  usage_days: {
    tenant_id: string
    day: string
    application_id: string
    channel: Channel
    /** Empty for channels without categories. */
    category: string
    messages: bigint
    credits: bigint
  }
  activity: {
    id: string
    tenant_id: string
    application_id: string
    /** Mode of the API key. */
    mode: Generated<'live' | 'test'>
    revision: number
    channel: Channel
    status: ActivityStatus
    event_key: string | null
    recipient_masked: string
    recipient_index: string
    failure_reason: string | null
    retryable: boolean
    retry_count: number
    created_at: Time
    updated_at: Time
    /** Whether the triggers count it; not yet for what an earlier release wrote. */
    counted: Generated<boolean>
  }
  /** Counts by kind, kept by triggers; event '' stands for all items. */
  activity_totals: {
    tenant_id: string
    event_key: string
    application_id: string
    mode: 'live' | 'test'
    channel: Channel
    status: ActivityStatus
    retryable: boolean
    count: bigint
  }
  /** Counts by UTC hour and day of creation, kept by triggers; application '' stands for all of them. */
  activity_buckets: {
    tenant_id: string
    application_id: string
    width: 'hour' | 'day'
    starts_at: Time
    mode: 'live' | 'test'
    channel: Channel
    status: ActivityStatus
    count: bigint
  }
  /** Jobs that retry items. */
  retry_jobs: {
    id: string
    tenant_id: string
    /** The operator's pseudonym. */
    requested_by: string
    filters: JSONColumnType<object>
    count: number
    count_capped: boolean
    processed: Generated<number>
    retried: Generated<number>
    skipped: Generated<number>
    /** Position of the last item that the job has opened. */
    reached_at: Time | null
    reached_id: string | null
    /** Items under way. */
    page: string[] | null
    /** Grows with each claim, so that a worker whose lease is over changes nothing. */
    claims: Generated<number>
    next_at: Time | null
    cancelled: Generated<boolean>
    created_at: Time
    finished_at: Time | null
  }
  /** The counts of release 0.1, kept for its replicas until the next release. */
  activity_counts: {
    tenant_id: string
    application_id: string
    channel: Channel
    status: ActivityStatus
    count: bigint
  }
}

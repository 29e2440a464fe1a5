import type {
  AttemptOutcome,
  Channel,
  DeliveryStatus,
  DomainStatus,
  EventContent,
  EventStatus,
  EventTemplates,
  Lane,
  SuppressionChannel,
  SuppressionReason,
} from '@notify/contracts'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { RecordStates } from '../domains/judge-domain.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of this service's own schema. */
export interface Tables {
  events: {
    tenant_id: string
    application_id: string
    event_key: string
    name: string
    status: EventStatus
    version: number
    allowed_channels: Channel[]
    templates: JSONColumnType<EventTemplates>
    /** Changes since the current version, not published yet. */
    draft: JSONColumnType<EventContent | null>
    /** The operator who changed it last; null: the bootstrap document, which then may change it again. */
    updated_by: Generated<string | null>
    /** Null for events of earlier releases. */
    created_at: Time | null
    updated_at: Time
  }
  /** What was published. Rows never change, except those that the bootstrap document brought along. */
  event_versions: {
    tenant_id: string
    application_id: string
    event_key: string
    version: number
    name: string
    allowed_channels: Channel[]
    templates: JSONColumnType<EventTemplates>
    published_by: string | null
    published_at: Time
  }
  providers: {
    id: string
    tenant_id: string
    application_id: string | null
    channel: Channel
    kind: string
    name: string
    priority: number
    revision: Generated<number>
    credentials: Buffer
    /** Messages per second that the account accepts; null: no limit. */
    rate_limit_per_second: number | null
    /** The carrier's id of the account, where only one tenant may connect it. */
    account_id: Generated<string | null>
    /** Null for providers of earlier releases, like `created_at`. */
    credentials_updated_at: Time | null
    /** The operator who changed it last; null: the bootstrap document, which then may change it again. */
    updated_by: Generated<string | null>
    created_at: Time | null
    /** Since when nothing new is sent through it; its receipts still count until it is purged. */
    deleted_at: Time | null
    /** When its credentials were erased. */
    purged_at: Time | null
    /** The webhook subscription that it signs for alone, and that subscription's last change that was applied. */
    subscription_id: Generated<string | null>
    subscription_version: Generated<number | null>
    updated_at: Time
  }
  /** Earliest start of the next send of a rate-limited provider, in Unix milliseconds. */
  send_slots: {
    provider_id: string
    /** The share of the rate for all lanes. */
    shared_ms: Generated<number>
    /** The share reserved for `otp` and `transactional`. */
    kept_ms: Generated<number>
    /** The end of the slots assigned to postponed urgent messages. */
    urgent_until_ms: Generated<number>
    bulk_until_ms: Generated<number>
  }
  notifications: {
    id: string
    tenant_id: string
    application_id: string
    channel: Channel
    lane: Lane
    mode: 'live' | 'test'
    event_key: string | null
    status: Generated<DeliveryStatus>
    /** Incremented with each published change. */
    revision: Generated<number>
    recipient_masked: string
    recipient_index: string
    /** Recipient and content, encrypted. */
    payload: Buffer | null
    /** Metadata of the caller, encrypted. */
    metadata: Buffer | null
    credits: number
    /** Of the carrier's template. */
    category: string | null
    failure_reason: string | null
    retryable: Generated<boolean>
    retry_count: Generated<number>
    /** Total number of attempts, and the number of the latest. */
    attempt_count: Generated<number>
    /**
     * The position in the retry schedule since acceptance or the last retry by an operator: attempts without immediate
     * failovers.
     */
    round_attempts: Generated<number>
    /** Number of latest attempts that the next one replaces, with a provider not tried by them. */
    failovers: Generated<number>
    /** Since when all circuit breakers of its providers are open. */
    held_since: Time | null
    /** Whether a worker is calling the carrier. */
    sending: Generated<boolean>
    next_attempt_at: Time | null
    /** The action at `next_attempt_at`: another attempt, or failure because the outcome stayed unknown. */
    when_due: Generated<'send' | 'give_up'>
    enqueued_at: Time
    /** Requested time of sending; null: at once. */
    send_at: Time | null
    /** It is not sent after this time. */
    expires_at: Time | null
    /** Whether Postgres erases the payload once the message was accepted by a carrier or failed. */
    erase_when_terminal: Generated<boolean>
    /** The receipt did not arrive in time and is no longer expected. */
    receipt_overdue: Generated<boolean>
    /** Whether nothing more is expected; maintained by Postgres. */
    settled: Generated<boolean>
    traceparent: string | null
    created_at: Time
    updated_at: Time
  }
  tallies: {
    id: Generated<string>
    accepted: string
    settled: string
  }
  attempts: {
    notification_id: string
    number: number
    id: string
    provider_id: string | null
    started_at: Time
    lease_until: Time
    finished_at: Time | null
    outcome: AttemptOutcome | null
    /** Whether the outcome was ever unknown. */
    ambiguous: Generated<boolean>
    provider_code: string | null
    provider_message: string | null
    provider_message_id: string | null
    /** When the carrier first reported that the recipient read it. */
    read_at: Date | null
  }
  domains: {
    id: string
    tenant_id: string
    /** Lower-case, in ASCII. */
    domain: string
    selector: string
    /** Base64 of the SubjectPublicKeyInfo. */
    public_key: string
    /** Base64 of the PKCS #8 key, encrypted. */
    private_key: Buffer
    mail_from_region: string | null
    status: Generated<DomainStatus>
    /** Incremented with each change of the status. */
    revision: Generated<number>
    record_states: JSONColumnType<RecordStates>
    verified_at: Time | null
    last_checked_at: Time | null
    /** Start of the check with the stored result; older checks never replace it. */
    check_started_at: Time | null
    next_check_at: Time
    status_since: Time
    created_at: Time
  }
  domain_identities: {
    domain_id: string
    provider_id: string
    tenant_id: string
    domain: string
    selector: string
    /** Whether the carrier should have the domain. */
    wanted: Generated<boolean>
    /** Revision of the provider's credentials at the last registration. */
    synced_revision: number | null
    synced_at: Time | null
    failures: Generated<number>
    error: string | null
    next_try_at: Time | null
    leased_until: Time | null
  }
  /** What carriers say of the templates of accounts. */
  carrier_templates: {
    provider_id: string
    tenant_id: string
    name: string
    language: string
    status: string
    category: string
    quality: string | null
    /** When the carrier was asked, or said so by itself: what is older never replaces it. */
    reported_at: Time
  }
  /** When the templates of an account are read again. */
  carrier_template_syncs: {
    provider_id: string
    /** Revision of the credentials for which a reading was planned. */
    revision: number
    next_sync_at: Time | null
    synced_at: Time | null
    failures: Generated<number>
    error: string | null
  }
  suppressions: {
    id: string
    tenant_id: string
    channel: SuppressionChannel
    recipient_index: string
    recipient_masked: string
    reason: SuppressionReason
    source_notification_id: string | null
    created_at: Time
    /** Time of the latest report; lifting an older one has no effect. */
    reported_at: Time
    /** When it was lifted. The row is kept, so that older reports that arrive late change nothing. */
    lifted_at: Time | null
  }
  templates: {
    id: string
    tenant_id: string
    /** The application that may use it; null: all of the tenant. */
    application_id: string | null
    name: string
    templates: JSONColumnType<EventTemplates>
    version: Generated<number>
    created_at: Time
    updated_at: Time
  }
}

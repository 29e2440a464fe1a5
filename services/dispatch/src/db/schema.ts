import type {
  AttemptOutcome,
  Channel,
  DeliveryStatus,
  DomainStatus,
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
    status: 'draft' | 'published' | 'inactive'
    version: number
    allowed_channels: Channel[]
    templates: JSONColumnType<EventTemplates>
    updated_at: Time
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
    /** The most messages that the account takes in a second; null: no limit. */
    rate_limit_per_second: number | null
    updated_at: Time
  }
  /** When the next send of a limited provider may begin, in milliseconds of Unix time. */
  send_slots: {
    provider_id: string
    /** The part of the rate that all lanes share. */
    shared_ms: Generated<number>
    /** The part that is kept for what cannot wait. */
    kept_ms: Generated<number>
    /** Until when those are spread that were put off. */
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
    /** Grows with every change that is told to others. */
    revision: Generated<number>
    recipient_masked: string
    recipient_index: string
    /** What is sent and to whom, encrypted. */
    payload: Buffer | null
    /** What the caller attached to it, encrypted. */
    metadata: Buffer | null
    credits: number
    failure_reason: string | null
    retryable: Generated<boolean>
    retry_count: Generated<number>
    /** Attempts in all; the latest one bears this number. */
    attempt_count: Generated<number>
    /**
     * The place in the retry schedule since it was accepted or last retried by an operator: attempts, without those that
     * another provider made at once in the place of one that could not.
     */
    round_attempts: Generated<number>
    /** How many of the latest attempts the next one makes up for, with a provider that none of them was made with. */
    failovers: Generated<number>
    /** Since when no provider may be called for it. */
    held_since: Time | null
    /** Whether a worker is calling the carrier. */
    sending: Generated<boolean>
    next_attempt_at: Time | null
    /** What happens at `next_attempt_at`: another attempt, or failure because the outcome stayed unknown. */
    when_due: Generated<'send' | 'give_up'>
    enqueued_at: Time
    /** When the caller wants it sent; absent: at once. */
    send_at: Time | null
    /** After this it is not sent any more. */
    expires_at: Time | null
    /** Whether the payload goes once a carrier took the message, or it failed; emptied by Postgres. */
    erase_when_terminal: Generated<boolean>
    /** The carrier's receipt did not come within its time: nothing more is expected. */
    receipt_overdue: Generated<boolean>
    /** Whether nothing more is expected; kept by Postgres. */
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
    /** Whether it was ever unknown if the carrier took the message. */
    ambiguous: Generated<boolean>
    provider_code: string | null
    provider_message: string | null
    provider_message_id: string | null
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
    /** Grows with every change of the status. */
    revision: Generated<number>
    record_states: JSONColumnType<RecordStates>
    verified_at: Time | null
    last_checked_at: Time | null
    /** When the check began whose result stands here: an older one never replaces it. */
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
    /** Whether the carrier shall have it, or shall have it no more. */
    wanted: Generated<boolean>
    /** Revision of the provider's credentials with which the carrier took it. */
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
    /** The latest report; what lifts an older one does not undo it. */
    reported_at: Time
    /** Not suppressed any more since then. Kept, so that an older report that comes late changes nothing. */
    lifted_at: Time | null
  }
  templates: {
    id: string
    tenant_id: string
    /** The one application that may use it; all of the tenant when null. */
    application_id: string | null
    name: string
    templates: JSONColumnType<EventTemplates>
    version: Generated<number>
    created_at: Time
    updated_at: Time
  }
}

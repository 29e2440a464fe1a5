import type { AttemptOutcome, Channel, DeliveryStatus, EventTemplates, Lane } from '@notify/contracts'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

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
    updated_at: Time
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
    metadata: JSONColumnType<Record<string, string>> | null
    credits: number
    failure_reason: string | null
    retryable: Generated<boolean>
    retry_count: Generated<number>
    /** Attempts in all; the latest one bears this number. */
    attempt_count: Generated<number>
    /** Attempts since it was accepted or last retried by an operator: the place in the retry schedule. */
    round_attempts: Generated<number>
    /** Whether a worker is calling the carrier. */
    sending: Generated<boolean>
    next_attempt_at: Time | null
    /** What happens at `next_attempt_at`: another attempt, or failure because the outcome stayed unknown. */
    when_due: Generated<'send' | 'give_up'>
    enqueued_at: Time
    traceparent: string | null
    created_at: Time
    updated_at: Time
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

import type { ColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type MaybeTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

/** The tables of this service's own schema. */
export interface Tables {
  /** Whose secret signs: webhook providers of dispatch, and those made for one subscription (`own`). */
  providers: {
    id: string
    tenant_id: string
    application_id: string | null
    priority: number
    /** The last change of dispatch that was applied. */
    revision: number
    /** Made by a subscription, which it signs for alone. */
    own: boolean
    /** Of the last change of an own one that dispatch was told of; 0: of none yet. */
    version: number
    secret: Buffer
    previous_secret: Buffer | null
    /** Until when requests bear the signature of the previous secret too. */
    previous_until: MaybeTime
    /** Waits before further attempts, in milliseconds; the service's own when null. */
    retry_delays: number[] | null
    /** Since when no new send is signed with it; subscriptions that name it still are. */
    deleted_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    updated_at: Time
  }
  subscriptions: {
    id: string
    tenant_id: string
    application_id: string
    provider_id: string
    url: Buffer
    events: string[]
    description: string
    status: 'active' | 'disabled'
    disabled_reason: 'operator' | 'gone' | 'failing' | null
    revision: number
    created_at: Time
    updated_at: Time
  }
  /** A queue of deliveries: of a subscription, or of one origin that a tenant sends to by the channel `webhook`. */
  endpoints: {
    id: string
    tenant_id: string
    active: boolean
    /** When its first delivery is due; null when none waits. */
    next_due_at: MaybeTime
    /** Until when one worker alone takes its deliveries. */
    leased_until: MaybeTime
    /** Whether it failed several times in a row: it shares a few places with its like then. */
    struggling: boolean
    failures: number
    failing_since: MaybeTime
    deleted_at: MaybeTime
  }
  deliveries: {
    id: string
    tenant_id: string
    application_id: string
    endpoint_id: string
    subscription_id: string | null
    notification_id: string | null
    retry_count: number
    event_type: string
    provider_id: string | null
    /** Of a send by the channel `webhook`; a subscription has its own. */
    url: Buffer | null
    body: Buffer
    status: 'pending' | 'succeeded' | 'exhausted'
    attempts: number
    /** Attempts that count against the retry schedule. */
    charged: number
    /** Attempts that failed in our own network. */
    held: number
    next_attempt_at: MaybeTime
    last_status: number | null
    last_error: string | null
    traceparent: string | null
    created_at: Time
    finished_at: MaybeTime
  }
  attempts: {
    delivery_id: string
    number: number
    started_at: Time
    finished_at: MaybeTime
    duration_ms: number | null
    status: number | null
    error: string | null
    response: Buffer | null
    /** Made of the delivery and the number. */
    id: ColumnType<string, never, never>
  }
  /** The latest replay of each subscription. */
  replays: {
    subscription_id: string
    since: Time
    count: number
    replayed: number
    /** The last delivery that was looked at. */
    reached: string
    next_at: MaybeTime
    requested_at: Time
    finished_at: MaybeTime
  }
}

import { column, type TablesOf } from '@notify/database'
import type { ColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type MaybeTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** The secrets that sign: webhook providers of dispatch, and those made for one subscription (`own`). */
  providers: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string | null>(),
    priority: column<number>(),
    /** The last change of dispatch that was applied. */
    revision: column<number>(),
    /** Made by a subscription, which it signs for alone. */
    own: column<boolean>(),
    /** The subscription that is being created with it; null once that is committed. */
    reserved_for: column<string | null>(),
    /** Null until dispatch has answered. */
    secret: column<Buffer | null>(),
    previous_secret: column<Buffer | null>(),
    /** Until when requests bear the signature of the previous secret too. */
    previous_until: column<MaybeTime>(),
    /** The secret before the previous one, and until when it signs as well. */
    older_secret: column<Buffer | null>(),
    older_until: column<MaybeTime>(),
    /** Waits before further attempts, in milliseconds; the service's own when null. */
    retry_delays: column<number[] | null>(),
    /** Since when no new send is signed with it; subscriptions that name it still are. */
    deleted_at: column<ColumnType<Date | null, Date | null | undefined, Date | null>>(),
    updated_at: column<Time>(),
  },
  subscriptions: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    provider_id: column<string>(),
    url: column<Buffer>(),
    events: column<string[]>(),
    description: column<string>(),
    status: column<'active' | 'disabled'>(),
    disabled_reason: column<'operator' | 'gone' | 'failing' | null>(),
    revision: column<number>(),
    created_at: column<Time>(),
    updated_at: column<Time>(),
  },
  /** A queue of deliveries: of a subscription, or of one origin that a tenant sends to by the channel `webhook`. */
  endpoints: {
    id: column<string>(),
    tenant_id: column<string>(),
    active: column<boolean>(),
    /** When its first delivery is due; null when none waits. */
    next_due_at: column<MaybeTime>(),
    /** Until when one worker alone takes its deliveries. */
    leased_until: column<MaybeTime>(),
    /** Whether it failed several times in a row: failing endpoints share a few slots. */
    struggling: column<boolean>(),
    failures: column<number>(),
    failing_since: column<MaybeTime>(),
    deleted_at: column<MaybeTime>(),
  },
  deliveries: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    endpoint_id: column<string>(),
    subscription_id: column<string | null>(),
    notification_id: column<string | null>(),
    retry_count: column<number>(),
    event_type: column<string>(),
    provider_id: column<string | null>(),
    /** Of a send by the channel `webhook`; a subscription has its own. */
    url: column<Buffer | null>(),
    body: column<Buffer>(),
    status: column<'pending' | 'succeeded' | 'exhausted'>(),
    attempts: column<number>(),
    /** Attempts that count against the retry schedule. */
    charged: column<number>(),
    /** Attempts that failed in our own network. */
    held: column<number>(),
    next_attempt_at: column<MaybeTime>(),
    last_status: column<number | null>(),
    last_error: column<string | null>(),
    traceparent: column<string | null>(),
    /** Blind index of the recipient of the event's notification. */
    recipient_index: column<string | null>(),
    created_at: column<Time>(),
    finished_at: column<MaybeTime>(),
  },
  attempts: {
    delivery_id: column<string>(),
    number: column<number>(),
    started_at: column<Time>(),
    finished_at: column<MaybeTime>(),
    duration_ms: column<number | null>(),
    status: column<number | null>(),
    error: column<string | null>(),
    response: column<Buffer | null>(),
    /** Made of the delivery and the number. */
    id: column<ColumnType<string, never, never>>(),
  },
  /** The latest replay of each subscription. */
  replays: {
    subscription_id: column<string>(),
    since: column<Time>(),
    count: column<number>(),
    replayed: column<number>(),
    /** The last delivery that was looked at. */
    reached: column<string>(),
    next_at: column<MaybeTime>(),
    requested_at: column<Time>(),
    finished_at: column<MaybeTime>(),
  },
}

export type Tables = TablesOf<typeof tables>

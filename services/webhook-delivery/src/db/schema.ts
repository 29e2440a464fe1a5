import type { WebhookEventType } from '@notify/contracts'
import { column, createBuilder, type TablesOf } from '@notify/database'

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** The secrets that sign: webhook providers of dispatch, and those made for one subscription (`own`). */
  providers: {
    id: column.id('prov'),
    tenant_id: column.id('ten'),
    application_id: column.id('app').nullable(),
    priority: column.integer().withDefault(),
    /** The last change of dispatch that was applied. */
    revision: column.integer().withDefault(),
    /** Made by a subscription, which it signs for alone. */
    own: column.boolean().withDefault(),
    /** The subscription that is being created with it; null once that is committed. */
    reserved_for: column.id('whsub').nullable(),
    /** Null until dispatch has answered, and after the removal. */
    secret: column.bytes().nullable(),
    previous_secret: column.bytes().nullable(),
    /** Until when the previous secret signs requests too. */
    previous_until: column.timestamp().nullable(),
    /** The secret before the previous one, and until when it signs as well. */
    older_secret: column.bytes().nullable(),
    older_until: column.timestamp().nullable(),
    /** Waits before further attempts, in milliseconds; the service's own when null. */
    retry_delays: column.integers().nullable(),
    /** Since when no new send is signed with it; subscriptions that name it still are. */
    deleted_at: column.timestamp().nullable(),
    /** Since when dispatch has no credentials of it; its secrets are erased here once no subscription names it. */
    removed_at: column.timestamp().nullable(),
    updated_at: column.timestamp().withDefault(),
  },
  subscriptions: {
    id: column.id('whsub'),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    provider_id: column.id('prov'),
    url: column.bytes(),
    events: column.texts<WebhookEventType>(),
    description: column.text(),
    status: column.text<'active' | 'disabled'>().withDefault(),
    disabled_reason: column.text<'operator' | 'gone' | 'failing'>().nullable(),
    revision: column.integer().withDefault(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
  /** A queue of deliveries: of a subscription, or of one origin that a tenant sends to by the channel `webhook`. */
  endpoints: {
    id: column.text(),
    tenant_id: column.id('ten'),
    active: column.boolean().withDefault(),
    /** When its first delivery is due; null when none waits. */
    next_due_at: column.timestamp().nullable(),
    /** Until when one worker alone takes its deliveries. */
    leased_until: column.timestamp().nullable(),
    /** Whether it failed several times in a row: failing endpoints share a few slots. */
    struggling: column.boolean().withDefault(),
    failures: column.integer().withDefault(),
    failing_since: column.timestamp().nullable(),
    /** The last failure that counted. */
    failed_at: column.timestamp().nullable(),
    deleted_at: column.timestamp().nullable(),
  },
  deliveries: {
    id: column.id('whdel'),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    endpoint_id: column.text(),
    subscription_id: column.id('whsub').nullable(),
    notification_id: column.id('notif').nullable(),
    retry_count: column.integer().withDefault(),
    event_type: column.text(),
    /** Of a send by the channel `webhook`: each attempt asks whether its recipient has switched it off. */
    topic: column.text().nullable(),
    provider_id: column.id('prov').nullable(),
    /** Of a send by the channel `webhook`; a subscription has its own. */
    url: column.bytes().nullable(),
    body: column.bytes(),
    status: column.text<'pending' | 'succeeded' | 'exhausted'>().withDefault(),
    attempts: column.integer().withDefault(),
    /** Attempts that count against the retry schedule. */
    charged: column.integer().withDefault(),
    /** Attempts that failed in our own network. */
    held: column.integer().withDefault(),
    next_attempt_at: column.timestamp().nullable(),
    last_status: column.integer().nullable(),
    last_error: column.text().nullable(),
    traceparent: column.text().nullable(),
    /** Blind index of the recipient of the event's notification. */
    recipient_index: column.text().nullable(),
    /** Whether a replay follows the arrival of a send by the channel `webhook`: its outcome is not reported. */
    arrived: column.boolean().withDefault(),
    created_at: column.timestamp().withDefault(),
    finished_at: column.timestamp().nullable(),
  },
  attempts: {
    delivery_id: column.id('whdel'),
    number: column.integer(),
    started_at: column.timestamp().withDefault(),
    finished_at: column.timestamp().nullable(),
    duration_ms: column.integer().nullable(),
    status: column.integer().nullable(),
    error: column.text().nullable(),
    response: column.bytes().nullable(),
    /** Made of the delivery and the number. */
    id: column.id('att').nullable().generated(),
  },
  /** Events with more deliveries than a statement has room for, or whose predecessor was not sent yet; tenants take turns. */
  fan_outs: {
    id: column.text(),
    tenant_id: column.id('ten'),
    /** The number of its deliveries. */
    weight: column.integer(),
    /** The event as JSON, encrypted. */
    event: column.bytes(),
    /** Blind index of the person whom the event is about. */
    recipient_index: column.text().nullable(),
    next_at: column.timestamp().withDefault(),
    created_at: column.timestamp().withDefault(),
  },
  /** The latest replay of each subscription. */
  replays: {
    subscription_id: column.id('whsub'),
    tenant_id: column.id('ten'),
    since: column.timestamp(),
    count: column.integer(),
    replayed: column.integer().withDefault(),
    /** The last delivery that was looked at. */
    reached: column.id('whdel').withDefault(),
    next_at: column.timestamp().nullable(),
    requested_at: column.timestamp().withDefault(),
    finished_at: column.timestamp().nullable(),
  },
}

export type Tables = TablesOf<typeof tables>

export const build = createBuilder<Tables>()

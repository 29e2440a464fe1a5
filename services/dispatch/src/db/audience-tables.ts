import type { BroadcastStatus, Channel, KeyMode } from '@notify/contracts'
import { column } from '@notify/database'

const owner = { tenant_id: column.id('ten'), application_id: column.id('app'), mode: column.text<KeyMode>() }

/** Lists of users, and broadcasts to them. */
export const audienceTables = {
  /** Applications that were deleted. */
  ended_applications: {
    application_id: column.id('app'),
    tenant_id: column.id('ten'),
    ended_at: column.timestamp().withDefault(),
    /** When its last users were deleted. */
    emptied_at: column.timestamp().nullable(),
  },
  lists: {
    id: column.id('list'),
    ...owner,
    name: column.text(),
    member_count: column.integer().withDefault(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
    deleted_at: column.timestamp().nullable(),
  },
  list_members: {
    /** See `memberId`. */
    id: column.text(),
    tenant_id: column.id('ten'),
    list_id: column.id('list'),
    user_index: column.text(),
    /** See `MemberContent`; encrypted. */
    content: column.bytes(),
    added_at: column.timestamp().withDefault(),
  },
  broadcasts: {
    id: column.id('bc'),
    ...owner,
    list_id: column.id('list'),
    channel: column.text<Channel>(),
    event_key: column.text().nullable(),
    /** The request without its recipient, encrypted. */
    request: column.bytes(),
    /** Of the application. */
    default_locale: column.text().nullable(),
    default_time_zone: column.text().nullable(),
    /** Members of the list when it was made. */
    total: column.integer(),
    created_at: column.timestamp().withDefault(),
    status: column.text<BroadcastStatus>().withDefault(),
    /** Accepted pages. */
    pages: column.integer().withDefault(),
    /** The last member who is accepted or refused. */
    reached: column.text().nullable(),
    accepted: column.integer().withDefault(),
    /** Members without a notification, by error code. */
    refusals: column.jsonb<Record<string, number>>().withDefault(),
    next_page_at: column.timestamp().nullable().withDefault(),
    /** How often a page was claimed. */
    claims: column.integer().withDefault(),
    updated_at: column.timestamp().withDefault(),
    finished_at: column.timestamp().nullable(),
  },
}

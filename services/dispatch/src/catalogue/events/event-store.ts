import type { Channel, EventStatus, EventTemplates, Id } from '@notify/contracts'
import { cast, column, nextUpdatedAt, type Run, requireRoom } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import type { StoredContent } from '../../db/event-tables.ts'
import { build, type Tables } from '../../db/schema.ts'
import { differs } from '../initial-row.ts'
import { jsonOf } from '../translations/keep-translations.ts'

export type EventRow = Selectable<Tables['events']>

/** Identifies an event. The gateway has checked that the application belongs to the tenant. */
export interface EventId {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  eventKey: string
}

/** The key columns of an event and of its versions. */
export const keysOf = ({ tenantId, applicationId, eventKey }: EventId) => ({
  ...{ tenant_id: tenantId, application_id: applicationId, event_key: eventKey },
})

const one = (id: EventId) =>
  build
    .selectFrom('events')
    .selectAll()
    .where((where) => where.and(keysOf(id)))

export async function findEvent(run: Run, id: EventId): Promise<EventRow | undefined> {
  return (await run(one(id)))[0]
}

/** Locks an event for the rest of the transaction, so that concurrent changes follow each other. */
export async function lockEvent(run: Run, id: EventId): Promise<EventRow | undefined> {
  return (await run(one(id).forUpdate()))[0]
}

export interface EventState extends StoredContent {
  status: EventStatus
  version: number
  draft: StoredContent | null
  updatedBy: string
}

/** @throws Problem `event_limit_reached` */
export function requireRoomForEvent(run: Run, { tenantId, applicationId }: EventId, most: number): Promise<void> {
  const rows = build
    .selectFrom('events')
    .select('event_key')
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId)
  const [code, what] = ['event_limit_reached', 'events of an application'] as const
  return requireRoom(run, { code, what, rows, owner: [tenantId, applicationId], most })
}

/** @returns undefined when the application has an event with this key */
export async function insertEvent(run: Run, id: EventId, state: EventState): Promise<EventRow | undefined> {
  const [row] = await run(
    build
      .insertInto('events')
      .values({ ...keysOf(id), ...valuesOf(state) })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll(),
  )
  return row
}

/** Writes a locked event. */
export async function updateEvent(run: Run, id: EventId, state: EventState): Promise<EventRow> {
  const [row] = await run(
    build
      .updateTable('events')
      .set({ ...valuesOf(state), updated_at: sql.raw<Date>(nextUpdatedAt()) })
      .where((where) => where.and(keysOf(id)))
      .returningAll(),
  )
  return row!
}

function valuesOf({ draft, updatedBy: updated_by, ...content }: EventState) {
  const { name, status, version, allowed_channels, topic } = content
  const json = {
    ...jsonOf(content),
    digest: content.digest && JSON.stringify(content.digest),
    draft: draft && JSON.stringify(draft),
  }
  return { name, status, version, allowed_channels, topic, updated_by, ...json }
}

export type EventSummaryRow = Awaited<ReturnType<typeof listEventRows>>[number]

/** The events of an application by key. @param after key of the last one of the previous page */
export function listEventRows(
  run: Run,
  { tenantId, applicationId }: Pick<EventId, 'tenantId' | 'applicationId'>,
  { status, after, limit }: { status: EventStatus | undefined; after: string | undefined; limit: number },
) {
  const events = build
    .selectFrom('events')
    .select(['application_id', 'event_key', 'name', 'status', 'version', 'allowed_channels'])
    .select(['created_at', 'updated_at'])
    .select(cast(column.boolean(), sql`draft is not null`).as('has_draft'))
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId)
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(after !== undefined, (query) => query.where('event_key', '>', after!))
  return run(events.orderBy('event_key').limit(limit))
}

/** An event of the bootstrap document. */
export interface InitialEvent {
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  event_key: string
  name: string
  status: EventStatus
  version: number
  allowed_channels: Channel[]
  templates: EventTemplates
  topic?: string | null | undefined
}

/**
 * Upserts an event of the bootstrap document, unless an operator has changed it.
 * @returns the event; undefined when it stays as it was
 */
export async function saveInitialEvent(run: Run, event: InitialEvent): Promise<EventRow | undefined> {
  const { tenant_id, application_id, event_key, name, status, version, allowed_channels, topic = null } = event
  const content = { name, allowed_channels, topic, templates: JSON.stringify(event.templates) }
  const key = { tenant_id, application_id, event_key }
  const state = { ...content, tenant_id, status, version }
  const [saved] = await run(
    build
      .insertInto('events')
      .values({ ...key, ...state })
      .onConflict((conflict) =>
        conflict
          .columns(['application_id', 'event_key'])
          .doUpdateSet({ ...state, updated_at: sql<Date>`now()` })
          .where('events.updated_by', 'is', null)
          .where(differs('events', Object.keys(state))),
      )
      .returningAll(),
  )
  if (!saved || status === 'draft') return saved
  await run(
    build
      .insertInto('event_versions')
      .values({ ...key, version, ...content })
      .onConflict((conflict) =>
        conflict
          .columns(['application_id', 'event_key', 'version'])
          .doUpdateSet(content)
          .where('event_versions.published_by', 'is', null),
      ),
  )
  return saved
}

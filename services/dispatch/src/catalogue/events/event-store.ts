import type { Channel, EventContent, EventStatus, EventTemplates, Id } from '@notify/contracts'
import { nextUpdatedAt, type Run, requireRoom } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'

export type EventRow = Selectable<Tables['events']>

/** Identifies an event. The gateway has checked that the application belongs to the tenant. */
export interface EventId {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  eventKey: string
}

const ofEvent = 'tenant_id = $1 and application_id = $2 and event_key = $3'
const keysOf = ({ tenantId, applicationId, eventKey }: EventId) => [tenantId, applicationId, eventKey]

export async function findEvent(run: Run, id: EventId): Promise<EventRow | undefined> {
  const [row] = await run<EventRow>(`select * from events where ${ofEvent}`, keysOf(id))
  return row
}

/** Locks an event for the rest of the transaction, so that changes of one moment follow each other. */
export async function lockEvent(run: Run, id: EventId): Promise<EventRow | undefined> {
  const [row] = await run<EventRow>(`select * from events where ${ofEvent} for update`, keysOf(id))
  return row
}

export interface EventState extends EventContent {
  status: EventStatus
  version: number
  draft: EventContent | null
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
  const [row] = await run<EventRow>(
    `insert into events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates, draft,
       updated_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing returning *`,
    [...keysOf(id), ...valuesOf(state)],
  )
  return row
}

/** Writes a locked event. */
export async function updateEvent(run: Run, id: EventId, state: EventState): Promise<EventRow> {
  const [row] = await run<EventRow>(
    `update events set name = $4, status = $5, version = $6, allowed_channels = $7, templates = $8, draft = $9,
       updated_by = $10, updated_at = ${nextUpdatedAt()}
     where ${ofEvent} returning *`,
    [...keysOf(id), ...valuesOf(state)],
  )
  return row!
}

function valuesOf({ name, status, version, allowed_channels, templates, draft, updatedBy }: EventState): unknown[] {
  const json = draft && JSON.stringify(draft)
  return [name, status, version, allowed_channels, JSON.stringify(templates), json, updatedBy]
}

export interface EventSummaryRow extends Omit<EventRow, 'templates' | 'draft'> {
  has_draft: boolean
}

/** The events of an application by key. @param after key of the last one of the previous page */
export function listEventRows(
  run: Run,
  { tenantId, applicationId }: Pick<EventId, 'tenantId' | 'applicationId'>,
  { status, after, limit }: { status: EventStatus | undefined; after: string | undefined; limit: number },
): Promise<EventSummaryRow[]> {
  return run<EventSummaryRow>(
    `select tenant_id, application_id, event_key, name, status, version, allowed_channels, created_at, updated_at,
            draft is not null as has_draft
     from events
     where tenant_id = $1 and application_id = $2 and ($3::text is null or status = $3)
       and ($4::text is null or event_key > $4)
     order by event_key limit $5`,
    [tenantId, applicationId, status ?? null, after ?? null, limit],
  )
}

/** An event of the bootstrap document. */
export interface InitialEvent {
  tenant_id: string
  application_id: string
  event_key: string
  name: string
  status: EventStatus
  version: number
  allowed_channels: Channel[]
  templates: EventTemplates
}

/** Upserts an event of the bootstrap document, unless an operator has changed it. */
export async function saveInitialEvent(run: Run, event: InitialEvent): Promise<void> {
  const { tenant_id, application_id, event_key, name, status, version, allowed_channels, templates } = event
  const saved = await run(
    `insert into events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (application_id, event_key) do update
       set tenant_id = $1, name = $4, status = $5, version = $6, allowed_channels = $7, templates = $8, updated_at = now()
       where events.updated_by is null
     returning 1`,
    [tenant_id, application_id, event_key, name, status, version, allowed_channels, JSON.stringify(templates)],
  )
  if (saved.length === 0 || status === 'draft') return
  await run(
    `insert into event_versions (tenant_id, application_id, event_key, version, name, allowed_channels, templates)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (application_id, event_key, version) do update set name = $5, allowed_channels = $6, templates = $7
       where event_versions.published_by is null`,
    [tenant_id, application_id, event_key, version, name, allowed_channels, JSON.stringify(templates)],
  )
}

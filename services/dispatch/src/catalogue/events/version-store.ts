import { type Run, requireRoom } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'
import type { EventId, EventRow } from './event-store.ts'

export type VersionRow = Selectable<Tables['event_versions']>
export type VersionSummaryRow = Omit<VersionRow, 'templates'>

const ofEvent = 'tenant_id = $1 and application_id = $2 and event_key = $3'
const keysOf = ({ tenantId, applicationId, eventKey }: EventId) => [tenantId, applicationId, eventKey]

/** @throws Problem `event_version_limit_reached` */
export function requireRoomForVersion(run: Run, id: EventId, most: number): Promise<void> {
  const rows = build
    .selectFrom('event_versions')
    .select('version')
    .where('tenant_id', '=', id.tenantId)
    .where('application_id', '=', id.applicationId)
    .where('event_key', '=', id.eventKey)
  const [code, what] = ['event_version_limit_reached', 'versions of an event'] as const
  return requireRoom(run, { code, what, rows, owner: keysOf(id), most })
}

/** Keeps what an event sends as its current version; a version that is kept already stays as it is. */
export async function keepVersion(run: Run, row: EventRow, publishedBy: string | null): Promise<void> {
  const { tenant_id, application_id, event_key, version, name, allowed_channels, templates } = row
  await run(
    `insert into event_versions (tenant_id, application_id, event_key, version, name, allowed_channels, templates,
       published_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [tenant_id, application_id, event_key, version, name, allowed_channels, JSON.stringify(templates), publishedBy],
  )
}

export async function findVersion(run: Run, id: EventId, version: number): Promise<VersionRow | undefined> {
  const [row] = await run<VersionRow>(`select * from event_versions where ${ofEvent} and version = $4`, [
    ...keysOf(id),
    version,
  ])
  return row
}

/** The published versions of an event, newest first. @param after number of the last one of the previous page */
export function listVersionRows(
  run: Run,
  id: EventId,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<VersionSummaryRow[]> {
  return run<VersionSummaryRow>(
    `select tenant_id, application_id, event_key, version, name, allowed_channels, published_by, published_at
     from event_versions where ${ofEvent} and ($4::int is null or version < $4) order by version desc limit $5`,
    [...keysOf(id), after ?? null, limit],
  )
}

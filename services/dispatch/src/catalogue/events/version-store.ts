import { type Run, requireRoom } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'
import { jsonOf } from '../translations/keep-translations.ts'
import { type EventId, type EventRow, keysOf } from './event-store.ts'

export type VersionRow = Selectable<Tables['event_versions']>
export type VersionSummaryRow = Omit<
  VersionRow,
  'templates' | 'translations' | 'translation_bases' | 'topic' | 'digest'
>

/** @throws Problem `event_version_limit_reached` */
export function requireRoomForVersion(run: Run, id: EventId, most: number): Promise<void> {
  const rows = build
    .selectFrom('event_versions')
    .select('version')
    .where((where) => where.and(keysOf(id)))
  const [code, what] = ['event_version_limit_reached', 'versions of an event'] as const
  return requireRoom(run, { code, what, rows, owner: Object.values(keysOf(id)), most })
}

/** Stores the content of an event as its current version, unless that version is stored already. */
export async function keepVersion(run: Run, row: EventRow, publishedBy: string | null): Promise<void> {
  const { tenant_id, application_id, event_key, version, name, allowed_channels, topic, digest } = row
  const key = { tenant_id, application_id, event_key, version }
  const content = {
    name,
    allowed_channels,
    topic,
    ...jsonOf(row),
    digest: digest && JSON.stringify(digest),
    published_by: publishedBy,
  }
  await run(
    build
      .insertInto('event_versions')
      .values({ ...key, ...content })
      .onConflict((conflict) => conflict.doNothing()),
  )
}

export async function findVersion(run: Run, id: EventId, version: number): Promise<VersionRow | undefined> {
  const [row] = await run(
    build
      .selectFrom('event_versions')
      .selectAll()
      .where((where) => where.and({ ...keysOf(id), version })),
  )
  return row
}

/** The published versions of an event, newest first. @param after number of the last one of the previous page */
export function listVersionRows(
  run: Run,
  id: EventId,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<VersionSummaryRow[]> {
  const versions = build
    .selectFrom('event_versions')
    .select(['tenant_id', 'application_id', 'event_key', 'version', 'name', 'allowed_channels'])
    .select(['published_by', 'published_at'])
    .where((where) => where.and(keysOf(id)))
    .$if(after !== undefined, (query) => query.where('version', '<', after!))
  return run(versions.orderBy('version', 'desc').limit(limit))
}

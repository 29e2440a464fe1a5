import type { BroadcastStatus, Id, KeyMode } from '@notify/contracts'
import { type Run, requireRoom } from '@notify/database'
import { type Insertable, type Selectable, sql } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'
import type { Owner } from '../lists/list-store.ts'

export type BroadcastRow = Selectable<Tables['broadcasts']>

/** The broadcasts of a caller. */
function own(owner: Owner) {
  const broadcasts = build.selectFrom('broadcasts').selectAll().where('tenant_id', '=', owner.tenant_id)
  if (owner.kind === 'operator') return broadcasts
  return broadcasts.where('application_id', '=', owner.application_id).where('mode', '=', owner.mode)
}

export async function findBroadcast(run: Run, owner: Owner, id: Id<'bc'>): Promise<BroadcastRow | undefined> {
  return (await run(own(owner).where('id', '=', id)))[0]
}

/** Finds a broadcast and locks it until the transaction ends. */
export async function lockBroadcast(run: Run, owner: Owner, id: Id<'bc'>): Promise<BroadcastRow | undefined> {
  return (await run(own(owner).where('id', '=', id).forUpdate()))[0]
}

interface BroadcastPage {
  listId: string | undefined
  mode: KeyMode | undefined
  after: Id<'bc'> | undefined
  limit: number
}

/** A page of broadcasts, newest first. */
export function broadcastRows(
  run: Run,
  owner: Owner,
  { listId, mode, after, limit }: BroadcastPage,
): Promise<BroadcastRow[]> {
  const rows = own(owner)
    .$if(listId !== undefined, (query) => query.where('list_id', '=', listId as Id<'list'>))
    .$if(mode !== undefined, (query) => query.where('mode', '=', mode!))
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
  return run(rows.orderBy('id', 'desc').limit(limit))
}

/** @throws Problem `broadcast_limit_reached` */
export async function insertBroadcast(
  run: Run,
  broadcast: Insertable<Tables['broadcasts']>,
  most: number,
): Promise<BroadcastRow> {
  const rows = build
    .selectFrom('broadcasts')
    .select('id')
    .where('tenant_id', '=', broadcast.tenant_id)
    .where(sql<boolean>`status in ('running', 'paused')`)
  const owner = [broadcast.tenant_id]
  await requireRoom(run, { code: 'broadcast_limit_reached', what: 'open broadcasts of a tenant', rows, owner, most })
  const [row] = await run(build.insertInto('broadcasts').values(broadcast).returningAll())
  return row!
}

/** Longer than a worker takes for a page that it began before. */
const afterPage = sql<Date>`coalesce(next_page_at, now() + interval '1 minute')`

const now = sql<Date>`date_trunc('milliseconds', now())`

/** Changes the state of a locked broadcast. A cancelled one still counts whom the page that it interrupts has accepted. */
export async function setStatus(
  run: Run,
  { id, status: before }: Pick<BroadcastRow, 'id' | 'status'>,
  status: BroadcastStatus,
): Promise<BroadcastRow> {
  const interrupted = before === 'completed' ? null : afterPage
  const changed = build.updateTable('broadcasts').set({
    status,
    next_page_at: status === 'running' ? now : status === 'cancelled' ? interrupted : null,
    updated_at: now,
    ...(status === 'cancelled' && { finished_at: now }),
  })
  return (await run(changed.where('id', '=', id).returningAll()))[0]!
}

/** Cancels the open broadcasts of an application, of which a worker still counts whom an interrupted page has accepted. */
export async function cancelBroadcastsOf(
  run: Run,
  { tenant_id, application_id }: Pick<BroadcastRow, 'tenant_id' | 'application_id'>,
): Promise<void> {
  const cancelled = { status: 'cancelled', next_page_at: afterPage, updated_at: now, finished_at: now } as const
  const open = build.updateTable('broadcasts').set(cancelled).where(sql<boolean>`status in ('running', 'paused')`)
  await run(open.where('tenant_id', '=', tenant_id).where('application_id', '=', application_id))
}

/** A notification is sent at most this long after its broadcast or its application ended, and then asks whether it was cancelled. */
export const longestDelay = '31 days'

const deletedAtOnce = 1000

/** Deletes a batch of the broadcasts whose notifications are deleted, too. @returns whether there may be more */
export async function deleteEndedBroadcasts(run: Run, retentionMs: number): Promise<boolean> {
  const before = sql<Date>`now() - ${longestDelay}::interval - ${retentionMs}::float8 * interval '1 millisecond'`
  const ended = build.selectFrom('broadcasts').select('id').where('finished_at', '<', before).orderBy('finished_at')
  const ids = ended.limit(deletedAtOnce).forUpdate().skipLocked()
  const deleted = await run(
    build.deleteFrom('broadcasts').where('id', '=', sql<Id<'bc'>>`any(array(${ids}))`).returning('id'),
  )
  return deleted.length === deletedAtOnce
}

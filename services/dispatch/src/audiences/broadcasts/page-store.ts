import {
  claimDueSql,
  column,
  defineStatement,
  dueInColumns,
  dueInSql,
  type Queries,
  type RowOf,
} from '@notify/database'
import { tables } from '../../db/schema.ts'
import type { BroadcastRow } from './broadcast-store.ts'
import { idsOfPage } from './page-ids.ts'

const due = { table: 'broadcasts', due: 'next_page_at' }
/** Longer than a page takes. */
const leaseMs = 60_000

const look = defineStatement({
  name: 'look-due-broadcasts',
  text: dueInSql({ ...due, where: 'next_page_at is not null' }),
  columns: dueInColumns,
})

/** Milliseconds until a page of a broadcast is due. */
export const nextPageInMs = async ({ run }: Queries): Promise<number> => (await run(look))[0]!.due_in_ms

const claimColumns = {
  ...tables.broadcasts,
  /** Running broadcasts of the tenant, who share its pace. */
  sharers: column.integer().present(),
  is_list_deleted: column.boolean(),
  is_application_deleted: column.boolean(),
  claimed_at: column.timestamp(),
}

/** A broadcast whose next page this worker may accept. */
export type DuePage = RowOf<typeof claimColumns>

/** One broadcast of each tenant at a time, beside the pages in hand; tenants in random order. */
const claim = defineStatement({
  name: 'claim-broadcast-pages',
  text: `${claimDueSql(
    {
      ...due,
      key: ['id'],
      where: `status in ('running', 'cancelled')`,
      set: 'claims = claims + 1',
      fair: { by: 'tenant_id', most: 1, inHand: '$2::text[]' },
    },
    { limit: '$1', leaseMs },
  )}
    select claimed.*, clock_timestamp() as claimed_at,
      (select count(*)::int from broadcasts b where b.tenant_id = claimed.tenant_id and b.status = 'running') as sharers,
      not exists (select from lists l where l.id = claimed.list_id and l.deleted_at is null) as is_list_deleted,
      exists (select from ended_applications e where e.application_id = claimed.application_id) as is_application_deleted
    from claimed`,
  columns: claimColumns,
})

/** Claims due pages, `most` with those in hand, of tenants that have none in hand. */
export const claimPages = async (
  { run }: Queries,
  most: number,
  inHand: readonly Pick<DuePage, 'tenant_id'>[] = [],
): Promise<DuePage[]> =>
  inHand.length >= most ? [] : run(claim, [most - inHand.length, inHand.map(({ tenant_id }) => tenant_id)])

const countWaiting = defineStatement({
  name: 'count-waiting-of-application',
  text: `select count(*)::int as count from (
    select from in_flight f where f.lane = 'bulk' and f.channel = $1 and f.application_id = $2 and f.mode = $3
      and f.status = 'queued' and f.next_attempt_at is null and f.enqueued_at <= now() limit $4) as waiting`,
  columns: { count: column.integer() },
})

/** Bulk messages of the application that wait to be sent now, counted up to a limit. */
export async function waitingOf({ run }: Queries, page: DuePage, most: number): Promise<number> {
  return (await run(countWaiting, [page.channel, page.application_id, page.mode, most]))[0]!.count
}

/** SQL: the refusals of a broadcast with those of the parameter $4. */
const allRefusals = `(select coalesce(jsonb_object_agg(code, count), '{}') from (
        select code, sum(count::int) as count from (
          select * from jsonb_each_text(b.refusals) as known (code, count)
          union all select * from jsonb_each_text($4::jsonb) as new (code, count)
        ) as each group by code) as summed)`

/**
 * SQL: whether no other worker has claimed the page since. If a member was removed before that, the other one accepts members
 * beyond the end of this page under its ids, and the next page would accept them again.
 */
const isStillClaimed = 'b.id = $1 and b.pages = $2 and b.claims = $3'

const postpone = defineStatement({
  name: 'postpone-broadcast-page',
  text: `update broadcasts b set reached = coalesce($5, b.reached), refusals = ${allRefusals},
      next_page_at = now() + $6 * interval '1 millisecond'
    where ${isStillClaimed} and b.status = 'running'`,
})

/** Up to where a page was accepted. */
export type ReachedMember = Pick<EndedPage, 'reached' | 'refusals'>

const pause = defineStatement({
  name: 'pause-broadcast-at-page',
  text: `update broadcasts b set reached = coalesce($5, b.reached), refusals = ${allRefusals},
      status = 'paused', next_page_at = null, updated_at = date_trunc('milliseconds', now())
    where ${isStillClaimed} and b.status = 'running'`,
})

/** The page goes on later, after the last member who is settled. */
export async function postponePage(
  { run }: Queries,
  { id, pages, claims }: DuePage,
  afterMs: number,
  { reached, refusals }: ReachedMember = { reached: null, refusals: {} },
): Promise<void> {
  await run(postpone, [id, pages, claims, JSON.stringify(refusals), reached, afterMs])
}

/** The page goes on when the broadcast is resumed. */
export async function pauseAtPage(
  { run }: Queries,
  { id, pages, claims }: DuePage,
  { reached, refusals }: ReachedMember,
): Promise<void> {
  await run(pause, [id, pages, claims, JSON.stringify(refusals), reached])
}

/** A broadcast that ends forgets its position, which names a member. */
const end = defineStatement({
  name: 'end-broadcast-page',
  text: `
    update broadcasts b set
      pages = b.pages + 1, reached = case when not $7 and b.status in ('running', 'paused') then coalesce($5, b.reached) end,
      accepted = b.accepted + greatest($6, (
        select count(*)::int from notifications n where n.id between $10 and $11 and n.broadcast_id = b.id)),
      refusals = ${allRefusals},
      status = case when $7 and b.status in ('running', 'paused') then 'completed' else b.status end,
      next_page_at = case when b.status = 'running' and not $7 then greatest(now(), $8::timestamptz + $9 * interval '1 millisecond') end,
      finished_at = case when $7 then coalesce(b.finished_at, date_trunc('milliseconds', now())) else b.finished_at end,
      updated_at = date_trunc('milliseconds', now())
    where ${isStillClaimed}`,
})

/** What became of the members of a page. */
export interface EndedPage {
  /** The last member; null without members. */
  reached: string | null
  accepted: number
  refusals: Record<string, number>
  isLast: boolean
  /** The time from the claim of this page to that of the next. */
  intervalMs: number
}

/**
 * Counts a page and moves on, in one statement; a page that another worker claimed after the lease is left to that one. Pausing or
 * cancelling meanwhile keeps its state. Members whom an earlier attempt accepted count, also if they were removed since.
 */
export async function endPage({ run }: Queries, page: DuePage, ended: EndedPage): Promise<void> {
  const { reached, accepted, refusals, isLast, intervalMs } = ended
  const claimed = [page.id, page.pages, page.claims]
  const counts = [JSON.stringify(refusals), reached, accepted, isLast]
  await run(end, [...claimed, ...counts, page.claimed_at, intervalMs, ...idsOfPage(page)])
}

const stop = defineStatement({
  name: 'stop-broadcast',
  text: `update broadcasts set status = 'cancelled', reached = null, next_page_at = null,
      finished_at = date_trunc('milliseconds', now()), updated_at = date_trunc('milliseconds', now())
    where id = $1 and status = 'running'`,
})

export async function stopBroadcast({ run }: Queries, { id }: Pick<BroadcastRow, 'id'>): Promise<void> {
  await run(stop, [id])
}

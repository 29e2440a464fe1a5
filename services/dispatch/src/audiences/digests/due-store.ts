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
import { hasExpired } from '../../outcome/facts/expiry-sql.ts'

const due = { table: 'digests', due: 'due_at' }

/** Digests of one tenant that a worker has in hand, claimed together: however many are due, those of others have their turn. */
const mostOfTenant = 25
/** Of one tenant as many items as a transaction ends well within its time, of all as many as a worker ends within its lease. */
const mostItems = { ofTenant: 10_000, ofAll: 30_000 }

const look = defineStatement({ name: 'look-due-digests', text: dueInSql(due), columns: dueInColumns })

/** Milliseconds until a digest is due. */
export const nextDigestInMs = async ({ run }: Queries): Promise<number> => (await run(look))[0]!.due_in_ms

/** A digest that takes no further items, and that this worker may close. */
export type DueDigest = RowOf<typeof tables.digests>

const claim = defineStatement({
  name: 'claim-digests',
  text: `${claimDueSql(
    {
      ...due,
      ...{ key: ['id'], set: 'is_open = false' },
      fair: {
        ...{ by: 'tenant_id', most: `case when owner = any ($4::text[]) then 0 else ${mostOfTenant} end` },
        size: { of: 'joined', mostOfOwner: mostItems.ofTenant, most: '$3' },
      },
    },
    { limit: '$1', leaseMs: '$2::float8' },
  )}
    select * from claimed`,
  columns: tables.digests,
})

/** Claims due digests, `most` with those in hand, of tenants that have none in hand. Those of a tenant fit into one transaction. */
export async function claimDigests(
  { run }: Queries,
  most: number,
  leaseMs: number,
  inHand: readonly DueDigest[] = [],
): Promise<DueDigest[]> {
  const limit = most - inHand.length
  const items = inHand.reduce((left, { joined }) => left - joined, mostItems.ofAll)
  if (limit <= 0 || items <= 0) return []
  return run(claim, [limit, leaseMs, items, inHand.map(({ tenant_id }) => tenant_id)])
}

/** SQL: whether a notification still waits for its digest. */
export const waits = (row: string) => `${row}.status = 'scheduled' and not ${hasExpired(row)}`

const itemColumns = {
  digest_id: column.id('dig').present(),
  total: column.integer().present(),
  id: tables.notifications.id,
  payload: tables.notifications.payload.present(),
  is_newest: column.boolean().present(),
}

/** An item that its digest is made of, with the number of all. */
export type ItemRow = RowOf<typeof itemColumns>

/** The most bytes of the items of a digest that are read; the first and the newest are read in any case. */
const mostBytes = 300_000

// The union keeps the planner from reading all notifications, or the first ones again for each item.
const read = defineStatement({
  name: 'read-digest-items',
  text: `
    select d.id as digest_id, counted.total, item.id, item.payload, item.id = counted.newest as is_newest
    from unnest($1::text[], $2::int[]) as d (id, show)
    cross join lateral (
      select count(*)::int as total, max(n.id) as newest from notifications n where n.digest_id = d.id and ${waits('n')}
    ) as counted
    cross join lateral (
      select first.id, first.payload from (
        select f.id, f.payload, row_number() over (order by f.id) as nth, sum(length(f.payload)) over (order by f.id) as bytes
        from (
          select n.id, n.payload from notifications n where n.digest_id = d.id and ${waits('n')} order by n.id limit d.show
        ) as f
      ) as first where nth = 1 or bytes <= ${mostBytes}
      union select n.id, n.payload from notifications n where n.id = counted.newest
    ) as item
    order by 1, item.id`,
  columns: itemColumns,
})

/** The items that digests are made of, oldest first. */
export const readItems = ({ run }: Queries, digests: readonly DueDigest[]): Promise<ItemRow[]> =>
  run(read, [digests.map(({ id }) => id), digests.map(({ show }) => show)])

const postpone = defineStatement({
  name: 'postpone-digests',
  text: `update digests set due_at = now() + $2 * interval '1 millisecond' where id = any ($1) and not is_open`,
})

/** They are due again later. */
export async function postponeDigests({ run }: Queries, ids: readonly string[], afterMs: number): Promise<void> {
  await run(postpone, [ids, afterMs])
}

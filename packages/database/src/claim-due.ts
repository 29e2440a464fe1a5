import { column } from './columns.ts'

/** Rows with a due time. One worker at a time handles each. */
interface DueRows {
  table: string
  /** Primary key columns. */
  key: readonly string[]
  /** The due time, null for never; must be indexed. */
  due: string
  /** SQL condition on claimable rows; all by default. */
  where?: string
  /** SQL assignments of the claim. */
  set?: string
  fair?: FairShare
}

/** Limits the rows of each owner in a claim, so that the backlog of one owner delays no other. */
interface FairShare {
  by: string
  /** An expression may name the `owner`. */
  most: number | string
  /** SQL array with the owner of each row that the worker has in hand: these rows count towards `most`. */
  inHand?: string
  /** Limits also the sum of a column: for each owner, and for the claim. The first row may exceed it. */
  size?: { of: string; mostOfOwner: number; most: number | string }
}

/** SQL expressions, so that either may be a statement parameter. */
interface Claim {
  /** Maximum rows per claim. */
  limit: string | number
  /** Lease in milliseconds; longer than the work takes. */
  leaseMs: string | number
}

/**
 * SQL: the head of a statement that claims due rows, longest due first, as `claimed`. Skips locked rows. A claim moves
 * `due` to the end of its lease, by the clock of Postgres, so a crashed worker's rows become due again.
 * A worker may outlive its lease: its final write must tolerate a row that another one has changed. A fair claim takes
 * owners in random order, needs an index on (owner, due), and costs one index probe per owner with due rows.
 * @example `${claimDueSql({ table: 'parcels', key: ['id'], due: 'next_try_at' }, { limit: '$1', leaseMs: 60_000 })}
 * select id, weight from claimed`
 */
export function claimDueSql(rows: DueRows, { limit, leaseMs }: Claim): string {
  const { table, key, due, set, fair } = rows
  const columns = key.join(', ')
  return `
    with ${fair ? fairlyDue(rows, fair, columns, limit) : longestDue(rows, columns, limit)},
    claimed as (
      update ${table} set ${due} = now() + ${leaseMs} * interval '1 millisecond'${set ? `, ${set}` : ''}
      where ${isClaimed(key, columns)} returning ${table}.*
    )`
}

/**
 * SQL that returns `due_in_ms`: the milliseconds until a row is due, negative when one is overdue, infinite without rows. Costs
 * one index probe: cheaper to repeat than a claim.
 */
export function dueInSql({ table, due, where }: Pick<DueRows, 'table' | 'due' | 'where'>): string {
  const ms = `ceil(extract(epoch from min(${due}) - now()) * 1000)`
  return `select coalesce(${ms}, 'infinity')::float8 as due_in_ms from ${table}${where ? ` where ${where}` : ''}`
}

/** The owners of due rows. */
interface DueOwners extends Pick<DueRows, 'table' | 'due' | 'where'> {
  /** Columns that identify an owner; an index over them and `due` is needed. */
  owner: readonly string[]
}

/**
 * SQL: the owners that have due rows, in random order, each with a `share` of a batch. Costs one index probe per owner, however
 * many rows of it wait, due or not.
 */
export function dueOwnersSql({ table, owner, due, where }: DueOwners, batch: number): string {
  const columns = owner.join(', ')
  const earliest = (after: string) => `select ${columns}, ${due} as due_at from ${table} r
      where r.${due} is not null${where ? ` and (${where})` : ''} ${after} order by ${columns}, r.${due} limit 1`
  const of = (row: string) => `(${owner.map((column) => `${row}.${column}`).join(', ')})`
  return `
    with recursive owners as (
      (${earliest('')})
      union all
      select next.* from owners cross join lateral (${earliest(`and ${of('r')} > ${of('owners')}`)}) as next
    )
    select ${columns}, greatest(1, ${batch} / count(*) over ()) as share from owners where due_at <= now() order by random()`
}

/** The column of `dueInSql`. */
export const dueInColumns = { due_in_ms: column.double() }

/** Uses no join with `due`, for which a plan cached while the table was small could later scan the whole table. */
function isClaimed(key: readonly string[], columns: string): string {
  const inIndex = key.map((column) => `${column} = any(array(select ${column} from due))`).join(' and ')
  return key.length === 1 ? inIndex : `${inIndex} and ((${columns}) in (select ${columns} from due)) is true`
}

function longestDue({ table, due, where }: DueRows, columns: string, limit: Claim['limit']): string {
  return `due as (
      select ${columns} from ${table} where ${dueNow(due, where)} order by ${due} limit ${limit} for update skip locked
    )`
}

/** Finds the owners by one index probe each, without scanning their rows. */
function fairlyDue(
  { table, due, where }: DueRows,
  { by, most, inHand, size }: FairShare,
  columns: string,
  limit: Claim['limit'],
): string {
  const isDue = dueNow(due, where)
  const selected = size ? `${columns}, ${size.of}` : columns
  // Summed around the locks, which a query with window functions cannot take.
  const upTo = (sum: 'most' | 'mostOfOwner', rows: string) =>
    size
      ? `select ${selected} from (
        select *, row_number() over () as nth, sum(${size.of}) over (rows unbounded preceding) as total from (${rows}) as locked
      ) as counted where nth = 1 or total <= ${size[sum]}`
      : rows
  const share = inHand
    ? `greatest(0, ${most} - (select count(*) from unnest(${inHand}) as held (owner) where held.owner = drawn.owner))`
    : most
  const mine = `
        select ${selected} from ${table} where ${by} = drawn.owner and ${isDue} order by ${due} limit ${share}
        for update skip locked`
  return `recursive due_owners as (
      (select ${by} as owner from ${table} where ${isDue} order by ${by} limit 1)
      union all
      select (select ${by} from ${table} where ${by} > due_owners.owner and ${isDue} order by ${by} limit 1)
      from due_owners where due_owners.owner is not null
    ), due as (${upTo(
      'most',
      `
      select mine.* from (select owner from due_owners where owner is not null order by random()) as drawn
      cross join lateral (${upTo('mostOfOwner', mine)}) as mine
      limit ${limit}`,
    )}
    )`
}

const dueNow = (due: string, where: string | undefined) => `${due} <= now()${where ? ` and (${where})` : ''}`

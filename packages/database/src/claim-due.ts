/** Rows that are worked on when their time comes, each by one worker at a time. */
interface DueRows {
  table: string
  /** Columns that tell a row from all others. */
  key: readonly string[]
  /** Column with the time from which a row may be claimed, null for never; an index leads to it. */
  due: string
  /** SQL: which of the due rows may be claimed; all by default. */
  where?: string
  /** SQL: what the claim assigns besides. */
  set?: string
  /** Shares a claim between owners, so that the backlog of one delays no other: at most so many rows of each. */
  fair?: { by: string; most: number }
}

/** SQL expressions, so that either may be a parameter of the statement. */
interface Claim {
  /** Most rows of one claim. */
  limit: string | number
  /** How long the rows stay claimed; longer than their work takes, in milliseconds. */
  leaseMs: string | number
}

/**
 * SQL: the head of a statement that claims due rows, the longest due first, and has them as `claimed`. Rows that others are
 * claiming are passed over. A claim moves `due` to the end of its lease, by the clock of Postgres: a worker that ends before
 * it has written the next `due` gives its rows back then, behind those that waited meanwhile.
 *
 * A worker may outlive its lease: what it writes at the end must fit a row that another one has changed. A fair claim takes
 * owners in random order and needs an index on (owner, due); it costs an index probe for each owner with due rows.
 * @example `${claimDueSql({ table: 'parcels', key: ['id'], due: 'next_try_at' }, { limit: '$1', leaseMs: 60_000 })}
 *   select id, weight from claimed`
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

/** No join with `due`: a plan made while the table was small would later read the whole table for it. */
function isClaimed(key: readonly string[], columns: string): string {
  const inIndex = key.map((column) => `${column} = any(array(select ${column} from due))`).join(' and ')
  return key.length === 1 ? inIndex : `${inIndex} and ((${columns}) in (select ${columns} from due)) is true`
}

function longestDue({ table, due, where }: DueRows, columns: string, limit: Claim['limit']): string {
  return `due as (
      select ${columns} from ${table} where ${dueNow(due, where)} order by ${due} limit ${limit} for update skip locked
    )`
}

/** Goes from owner to owner along the index, never through the rows of one. */
function fairlyDue(
  { table, due, where }: DueRows,
  { by, most }: NonNullable<DueRows['fair']>,
  columns: string,
  limit: Claim['limit'],
): string {
  const isDue = dueNow(due, where)
  return `recursive due_owners as (
      (select ${by} as owner from ${table} where ${isDue} order by ${by} limit 1)
      union all
      select (select ${by} from ${table} where ${by} > due_owners.owner and ${isDue} order by ${by} limit 1)
      from due_owners where due_owners.owner is not null
    ), due as (
      select mine.* from (select owner from due_owners where owner is not null order by random()) as drawn
      cross join lateral (
        select ${columns} from ${table} where ${by} = drawn.owner and ${isDue} order by ${due} limit ${most}
        for update skip locked) as mine
      limit ${limit}
    )`
}

const dueNow = (due: string, where: string | undefined) => `${due} <= now()${where ? ` and (${where})` : ''}`

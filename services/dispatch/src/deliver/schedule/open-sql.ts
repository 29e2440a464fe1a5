import { dueOwnersSql } from '@notify/database'
import { mostHandOffBytes } from '../../outcome/hand-offs/work-sql.ts'

/** The most notifications that a scheduler takes in one round; a full round may leave more. */
export const scheduleBatch = 500

/** Bytes of the files that one statement erases; many more would exceed its time. */
export const mostErasedBytes = 64 * 1024 * 1024

interface Sought {
  /** SQL conditions on `in_flight f`, and the order of the index that they use. */
  where: string
  orderBy: string
  /** SQL conditions on the notification `n` itself. */
  still: string
  limit: number | string
  /** SQL: what counts towards the limit of {@link fittingSql}, of the notification `n`. */
  bytes?: string | undefined
}

/**
 * SQL that locks open notifications and returns `id`, `bytes` and the bytes of those before as `before`; locked rows are skipped. The lock is
 * in a subquery of its own, so that no plan starts from the notifications or locks more than the limit.
 */
export function lockOpenSql({ where, orderBy, still, limit, bytes = '0' }: Sought): string {
  return `select *, sum(bytes) over (rows unbounded preceding) - bytes as before from (
      select one.* from (select id from in_flight f where ${where} order by ${orderBy}) as f
      cross join lateral (
        select n.id, ${bytes} as bytes from notifications n where n.id = f.id and ${still} for update skip locked
      ) as one
      limit ${limit}) as locked`
}

/** SQL: the ids of locked rows whose bytes fit into one statement, at least one, which owners share by bytes; the others stay. */
export const fittingSql = (locked: string, most: number | string = mostHandOffBytes) => `
  select id from (select id, bytes, sum(bytes) over (order by before, id) - bytes as written from (${locked}) as locked) as counted
  where bytes = 0 or written < ${most}`

/** A column of `in_flight` with an index over lane, tenant and this time. */
type DueColumn = 'next_attempt_at' | 'expires_at'

/** SQL that locks due messages: for each tenant and lane its share of a batch, so that no backlog delays another tenant. */
export function lockDueSql(
  due: DueColumn,
  { where = 'true', still, bytes }: Pick<Sought, 'still' | 'bytes'> & { where?: string },
): string {
  return `
  select one.* from (${dueOwnersSql({ table: 'in_flight', owner: ['lane', 'tenant_id'], due }, scheduleBatch)}) as o cross join lateral (
    ${lockOpenSql({
      // With equalities the planner would use the index of all due messages, and read the backlogs of other tenants.
      where: `(f.lane, f.tenant_id, f.${due}) >= (o.lane, o.tenant_id, '-infinity')
        and (f.lane, f.tenant_id, f.${due}) <= (o.lane, o.tenant_id, now()) and f.${due} is not null and ${where}`,
      orderBy: `f.lane, f.tenant_id, f.${due}`,
      still: `n.${due} <= now() and ${still}`,
      limit: 'o.share',
      bytes,
    })}
  ) as one limit ${scheduleBatch}`
}

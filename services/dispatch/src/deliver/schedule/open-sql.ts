import { dueOwnersSql } from '@notify/database'

/** The most notifications that a scheduler takes in one round; a full round may leave more. */
export const scheduleBatch = 500

interface Sought {
  /** SQL conditions on `in_flight f`, and the order of the index that they use. */
  where: string
  orderBy: string
  /** SQL conditions on the notification `n` itself. */
  still: string
  limit: number | string
}

/**
 * SQL that locks open notifications and returns their ids in order; locked rows are skipped. The lock is in a subquery of
 * its own, so that no plan starts from the notifications or locks more than the limit.
 */
export function lockOpenSql({ where, orderBy, still, limit }: Sought): string {
  return `select one.id from (select id from in_flight f where ${where} order by ${orderBy}) as f
      cross join lateral (select n.id from notifications n where n.id = f.id and ${still} for update skip locked) as one
      limit ${limit}`
}

/** A column of `in_flight` with an index over lane, tenant and this time. */
type DueColumn = 'next_attempt_at' | 'expires_at'

/** SQL that locks due messages: for each tenant and lane its share of a batch, so that no backlog delays another tenant. */
export function lockDueSql(due: DueColumn, { where = 'true', still }: { where?: string; still: string }): string {
  return `
  select one.id from (${dueOwnersSql({ table: 'in_flight', owner: ['lane', 'tenant_id'], due }, scheduleBatch)}) as o cross join lateral (
    ${lockOpenSql({
      // With equalities the planner would use the index of all due messages, and read the backlogs of other tenants.
      where: `(f.lane, f.tenant_id, f.${due}) >= (o.lane, o.tenant_id, '-infinity')
        and (f.lane, f.tenant_id, f.${due}) <= (o.lane, o.tenant_id, now()) and f.${due} is not null and ${where}`,
      orderBy: `f.lane, f.tenant_id, f.${due}`,
      still: `n.${due} <= now() and ${still}`,
      limit: 'o.share',
    })}
  ) as one limit ${scheduleBatch}`
}

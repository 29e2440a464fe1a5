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

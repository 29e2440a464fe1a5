import type { KeyMode } from '@notify/contracts'
import { cast, column, defineStatement, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

/** The codes by which conversion is judged. */
interface Sample {
  tenantId: string
  mode: KeyMode
  prefix: string
  /** How far back, in milliseconds. */
  windowMs: number
  /** How long an unverified code is left out, in milliseconds. */
  graceMs: number
  /** Most codes, the latest. */
  most: number
}

const count = defineStatement({
  name: 'count-conversion',
  text: `
    select count(*)::int as sent, count(verified_at)::int as verified
    from (select verified_at from transactions
      where tenant_id = $1 and mode = $2 and prefix = $3
        and created_at > now() - $4 * interval '1 millisecond'
        and (verified_at is not null or created_at < now() - $5 * interval '1 millisecond')
        and (code_proof is not null)
      order by created_at desc limit $6) as latest`,
  columns: { sent: column.integer(), verified: column.integer() },
})

/** Counts how many of a prefix's latest codes were verified. Reads the transactions, so nothing can be lost. */
export async function countConversion(db: Queries, sample: Sample): Promise<{ sent: number; verified: number }> {
  const { tenantId, mode, prefix, windowMs, graceMs, most } = sample
  const [row] = await db.run(count, [tenantId, mode, prefix, windowMs, graceMs, most])
  return row!
}

/** Conversion of the prefixes with the most codes. */
export function listConversions(db: Queries, windowMs: number) {
  return db.run(
    build
      .selectFrom('transactions')
      .select([
        ({ ref }) => ref('prefix').$notNull().as('prefix'),
        cast(column.integer(), sql`count(*)`).as('sent'),
        cast(column.integer(), sql`count(verified_at)`).as('verified'),
      ])
      .where('created_at', '>', sql<Date>`now() - ${windowMs} * interval '1 millisecond'`)
      .where('prefix', 'is not', null)
      .where('mode', '=', 'live')
      .groupBy('prefix')
      .orderBy('sent', 'desc')
      .orderBy('prefix')
      .limit(50),
  )
}

import type { KeyMode } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'

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

/**
 * SQL for whether a code reached its recipient, as far as is known. Without a receipt one that is valid for long stays `sent`: it
 * counts after half of the window.
 * @param window SQL for the window in milliseconds
 */
const reached = (window: string) => `(status in ('delivered', 'verified', 'expired')
  or status = 'sent' and created_at < now() - ${window} * interval '0.5 milliseconds')`

const count = defineStatement({
  name: 'count-conversion',
  text: `
    select count(*)::int as sent, count(verified_at)::int as verified
    from (select verified_at from transactions
      where tenant_id = $1 and mode = $2 and prefix = $3
        and created_at > now() - $4 * interval '1 millisecond'
        and (verified_at is not null or created_at < now() - $5 * interval '1 millisecond')
        and ${reached('$4')}
      order by created_at desc limit $6) as latest`,
  columns: { sent: column.integer(), verified: column.integer() },
})

/** Counts how many of a prefix's latest codes that reached somebody were verified. Reads the transactions, so nothing can be lost. */
export async function countConversion(db: Queries, sample: Sample): Promise<{ sent: number; verified: number }> {
  const { tenantId, mode, prefix, windowMs, graceMs, most } = sample
  const [row] = await db.run(count, [tenantId, mode, prefix, windowMs, graceMs, most])
  return row!
}

const list = defineStatement({
  name: 'list-conversions',
  text: `
    select prefix, count(*)::int as sent, count(verified_at)::int as verified from transactions
    where created_at > now() - $1 * interval '1 millisecond' and prefix is not null and mode = 'live' and ${reached('$1')}
    group by 1 order by 2 desc, 1 limit 50`,
  columns: { prefix: tables.transactions.prefix.present(), sent: column.integer(), verified: column.integer() },
})

/** Conversion of the prefixes with the most codes. */
export function listConversions(db: Queries, windowMs: number) {
  return db.run(list, [windowMs])
}

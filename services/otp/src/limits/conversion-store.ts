import type { KeyMode } from '@notify/contracts'
import type { Queries, Statement } from '@notify/database'

/** The codes that conversion is judged by. */
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

const count: Statement = {
  name: 'count-conversion',
  text: `
    select count(*)::int as sent, count(verified_at)::int as verified
    from (select verified_at from transactions
      where tenant_id = $1 and mode = $2 and prefix = $3
        and created_at > now() - $4 * interval '1 millisecond'
        and (verified_at is not null or created_at < now() - $5 * interval '1 millisecond')
        and (code_proof is not null)
      order by created_at desc limit $6) as latest`,
}

/** Counts how many of a prefix's latest codes were verified. Reads the transactions, so nothing can be lost. */
export async function countConversion(db: Queries, sample: Sample): Promise<{ sent: number; verified: number }> {
  const { tenantId, mode, prefix, windowMs, graceMs, most } = sample
  const [row] = await db.run<{ sent: number; verified: number }>(count, [
    tenantId,
    mode,
    prefix,
    windowMs,
    graceMs,
    most,
  ])
  return row!
}

const list: Statement = {
  name: 'list-conversions',
  text: `select prefix, count(*)::int as sent, count(verified_at)::int as verified from transactions
         where created_at > now() - $1 * interval '1 millisecond' and prefix is not null and mode = 'live'
         group by prefix order by 2 desc, 1 limit 50`,
}

/** Conversion of the prefixes with the most codes. */
export function listConversions(
  db: Queries,
  windowMs: number,
): Promise<{ prefix: string; sent: number; verified: number }[]> {
  return db.run(list, [windowMs])
}

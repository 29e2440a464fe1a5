import { defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../../db/schema.ts'
import type { Claim } from '../claim/claim-store.ts'

/** Attempts behind the last one that another account got, or whose outcome is known. */
const find = defineStatement({
  name: 'find-repeated-attempt',
  text: `
    select id from attempts
    where notification_id = $1 and number < $2 and number > (
      select coalesce(max(number), 0) from attempts
      where notification_id = $1 and number < $2 and (outcome is distinct from 'unknown' or provider_id is distinct from $3))
    order by number limit 1`,
  columns: pick(tables.attempts, 'id'),
})

/** The first of the attempts with an unknown outcome that another call of this account repeats. */
export async function findRepeated(
  db: Pick<Queries, 'run'>,
  { id, attempt_count }: Pick<Claim, 'id' | 'attempt_count'>,
  providerId: string,
): Promise<string | undefined> {
  if (attempt_count === 1) return undefined
  return (await db.run(find, [id, attempt_count, providerId]))[0]?.id
}

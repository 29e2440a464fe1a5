import { defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../../db/schema.ts'
import type { Claim } from '../claim/claim-store.ts'

/**
 * The first of the latest attempts with this account whose outcome is unknown; a repetition that the carrier postponed
 * counts too. Stored before the call, because the carrier's reports on the repetition name this first attempt.
 */
const repeat = defineStatement({
  name: 'repeat-attempt',
  text: `
    update attempts a set repeats = first.id
    from (
      select id from attempts
      where notification_id = $1 and number < $2 and number > (
        select coalesce(max(number), 0) from attempts
        where notification_id = $1 and number < $2 and (provider_id is distinct from $3 or outcome is null
          or outcome <> 'unknown' and not (outcome = 'rejected_retryable' and repeats is not null)))
      order by number limit 1
    ) as first
    where a.notification_id = $1 and a.number = $2 returning a.repeats`,
  columns: pick(tables.attempts, 'repeats'),
})

/**
 * Returns the attempt that the next call of this account repeats, because the carrier may have accepted the message then.
 */
export async function repeatAttempt(
  db: Pick<Queries, 'run'>,
  { id, attempt_count }: Pick<Claim, 'id' | 'attempt_count'>,
  providerId: string,
): Promise<string | undefined> {
  if (attempt_count === 1) return undefined
  return (await db.run(repeat, [id, attempt_count, providerId]))[0]?.repeats ?? undefined
}

const forget = defineStatement({
  name: 'forget-repetition',
  text: 'update attempts set repeats = null where notification_id = $1 and number = $2',
})

/** The account was not called, so the attempt repeats nothing; another account may be called. */
export async function forgetRepetition(
  db: Pick<Queries, 'run'>,
  { id, attempt_count }: Pick<Claim, 'id' | 'attempt_count'>,
): Promise<void> {
  await db.run(forget, [id, attempt_count])
}

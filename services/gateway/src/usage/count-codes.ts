import type { NotificationFact } from '@notify/contracts'
import { defineStatement, type Queries } from '@notify/database'
import { coalesce } from '@notify/service-kit'
import { holdNewest } from '../facts/hold-newest.ts'
import { newestOfEach } from '../facts/newest-of-each.ts'
import { creditsOf, usageFieldsOf } from './charge-of.ts'
import { countedInUsage, growth } from './usage-sql.ts'

const dayMs = 86_400_000

/** Facts of a code's message are repeated for days at most. */
const codesRecognisedMs = 90 * dayMs
/** A message is accepted after its id was made, so its charge is kept for longer than it is recognised. */
export const chargesKeptMs = codesRecognisedMs + dayMs

/** The newest revision of a message counts; the sums change by the difference to the one before. */
const count = defineStatement({
  name: 'count-codes',
  text: `
    with input as (
      select *, (created_at at time zone 'UTC')::date as day
      from json_to_recordset($1::json) as t (id text, revision int, tenant_id text, application_id text, channel text,
        category text, country_prefix text, segments int, credits int, created_at timestamptz, locale text)
    ), changed as (
      insert into usage_messages (id, revision, credits)
      select id, revision, credits from input order by id
      on conflict (id) do update set revision = excluded.revision, credits = excluded.credits
        where usage_messages.revision < excluded.revision
      returning new.id, ${growth}
    ), ${countedInUsage}`,
})

/** Counts the message of a code, which is no item of the activity. Repeating it changes nothing. */
export type CountCode = (fact: NotificationFact) => Promise<void>

export function createCodeCounter({ db }: { db: Queries }): CountCode {
  const write = coalesce<NotificationFact, void>({
    maxBatch: 2000,
    maxInFlight: 1,
    async run(facts) {
      const sinceMs = Date.now() - codesRecognisedMs
      const rows = newestOfEach(facts).map((fact) => chargeOf(fact, sinceMs))
      const charges = rows.filter(({ credits }) => credits !== null)
      if (charges.length > 0) await db.run(count, [JSON.stringify(charges)])
      return facts.map(() => undefined)
    },
  })
  return holdNewest(write)
}

function chargeOf(fact: NotificationFact, sinceMs: number) {
  const { notification_id: id, revision, tenant_id, application_id, channel, created_at, locale } = fact
  const message = { id, revision, tenant_id, application_id, channel, created_at, locale }
  return { ...message, ...usageFieldsOf(fact), credits: creditsOf(fact, sinceMs) }
}

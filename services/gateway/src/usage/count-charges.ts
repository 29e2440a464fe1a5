import type { Channel, Id } from '@notify/contracts'
import { defineStatement, type Run } from '@notify/database'

/** What a message costs in its present state. */
export interface Charge {
  id: string
  revision: number
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  channel: Channel
  /** Empty for channels without categories. */
  category: string
  /** Of a phone number; empty for other recipients. */
  country_prefix: string
  /** The parts of an SMS; 0 on channels without parts. */
  segments: number
  credits: number
  /** UTC day of acceptance. */
  day: string
  /** Of its text, where it is known. */
  locale?: string | undefined
}

/** The newest revision of a message counts; the sums change by the difference to the one before. */
const count = defineStatement({
  name: 'count-usage',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, revision int, tenant_id text, application_id text,
        channel text, category text, country_prefix text, segments int, credits int, day date, locale text)
    ), changed as (
      insert into usage_messages (id, revision, credits, day)
      select id, revision, credits, day from input order by id
      on conflict (id) do update set revision = excluded.revision, credits = excluded.credits
        where usage_messages.revision < excluded.revision
      returning new.id, new.credits - coalesce(old.credits, 0) as credits,
        (new.credits > 0)::int - coalesce((old.credits > 0)::int, 0) as messages
    ), sums as (
      select tenant_id, day, application_id, channel, category, country_prefix, sum(c.messages) as messages,
        sum(c.messages * i.segments) as segments, sum(c.credits) as credits
      from changed c join input i using (id)
      group by tenant_id, day, application_id, channel, category, country_prefix
      having sum(c.messages) <> 0 or sum(c.credits) <> 0
      order by tenant_id, day, application_id, channel, category, country_prefix
    ), languages as (
      insert into usage_locales as known (tenant_id, day, application_id, channel, locale, messages, credits)
      select tenant_id, day, application_id, channel, locale, sum(c.messages), sum(c.credits)
      from changed c join input i using (id) where locale is not null
      group by tenant_id, day, application_id, channel, locale
      having sum(c.messages) <> 0 or sum(c.credits) <> 0
      order by tenant_id, day, application_id, channel, locale
      on conflict (tenant_id, day, application_id, channel, locale) do update
        set messages = known.messages + excluded.messages, credits = known.credits + excluded.credits
    )
    insert into usage_days as known (tenant_id, day, application_id, channel, category, country_prefix, messages, segments, credits)
    select * from sums
    on conflict (tenant_id, day, application_id, channel, category, country_prefix) do update
      set messages = known.messages + excluded.messages, segments = known.segments + excluded.segments,
        credits = known.credits + excluded.credits`,
})

/** Counts charges, at most one per message. Repeating it changes nothing. */
export async function countCharges(run: Run, charges: readonly Charge[]): Promise<void> {
  await run(count, [JSON.stringify(charges)])
}

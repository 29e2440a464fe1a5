/**
 * CTEs that add to the sums of usage what a statement has changed. They read `changed` (id, and by how much its messages and
 * credits grew) and `input` (the messages themselves, with the UTC day of acceptance).
 */
export const countedInUsage = `
    charged as (
      select i.tenant_id, i.day, i.application_id, i.channel, i.category, i.country_prefix, i.locale,
        c.messages, c.messages * i.segments as segments, c.credits
      from changed c join input i using (id) where c.messages <> 0 or c.credits <> 0
    ), languages as (
      insert into usage_locales as known (tenant_id, day, application_id, channel, locale, messages, credits)
      select tenant_id, day, application_id, channel, locale, sum(messages), sum(credits) from charged where locale is not null
      group by tenant_id, day, application_id, channel, locale
      having sum(messages) <> 0 or sum(credits) <> 0
      order by tenant_id, day, application_id, channel, locale
      on conflict (tenant_id, day, application_id, channel, locale) do update
        set messages = known.messages + excluded.messages, credits = known.credits + excluded.credits
    )
    insert into usage_days as known (tenant_id, day, application_id, channel, category, country_prefix, messages, segments, credits)
    select tenant_id, day, application_id, channel, category, country_prefix, sum(messages), sum(segments), sum(credits) from charged
    group by tenant_id, day, application_id, channel, category, country_prefix
    having sum(messages) <> 0 or sum(credits) <> 0
    order by tenant_id, day, application_id, channel, category, country_prefix
    on conflict (tenant_id, day, application_id, channel, category, country_prefix) do update
      set messages = known.messages + excluded.messages, segments = known.segments + excluded.segments,
        credits = known.credits + excluded.credits`

/** By how much the messages and the credits of a row have grown. */
export const growth = `coalesce(new.credits, 0) - coalesce(old.credits, 0) as credits,
        (coalesce(new.credits, 0) > 0)::int - (coalesce(old.credits, 0) > 0)::int as messages`

import type { Channel } from '@notify/contracts'

/** Why a recipient gets no message of a topic: the choice that switched it off, or its kind, when nobody switched it on. */
export type OptOut = `opted_out:${string}:${Channel | '*'}` | 'opted_out:kind'

export const isOptOut = (fault: string): fault is OptOut => fault.startsWith('opted_out:')

/**
 * SQL: an {@link OptOut} of the recipient of a row, or null. It decides as `decidePreference`; a row without a topic costs nothing.
 * @param row name of a row with `application_id`, `mode`, `channel`, `topic`, `recipient_index` and `user_index`
 */
export const optedOutBecause = (row: string): string => `(
  case when ${row}.topic is not null then (
    select case when t.kind = 'required' then null when c.off is not null then 'opted_out:' || c.off
      when t.kind = 'off' and c.chosen is not true then 'opted_out:kind' end
    from (select (select kind from topics where application_id = ${row}.application_id and topic_key = ${row}.topic) as kind) as t,
    lateral (
      select bool_or(p.state = 'on' and p.topic = ${row}.topic) as chosen,
        (array_agg(p.topic || ':' || p.channel order by p.topic = '*', p.channel = '*') filter (where p.state = 'off'))[1] as off
      from preferences p
      where p.recipient_index = any (array[${row}.recipient_index, ${row}.user_index]) and p.application_id = ${row}.application_id
        and p.mode = ${row}.mode and p.topic = any (array[${row}.topic, '*']) and p.channel = any (array[${row}.channel, '*'])
    ) as c
  ) end)`

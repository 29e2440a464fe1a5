import { defineStatement } from '@notify/database'

/**
 * Locks every switch in the order of the primary key, so that changes of the same switches never deadlock. One without a choice gets a
 * row that nobody sees: its time is before all others, and `changeChoices` fills or deletes it.
 */
export const holdChoices = defineStatement({
  name: 'hold-preferences',
  text: `
    insert into preferences as known (tenant_id, application_id, mode, recipient_index, topic, channel, state, source, changed_at)
    select distinct on (recipient_index, topic, channel) $2, $3, $4, recipient_index, topic, channel, 'off', $5, '-infinity'::timestamptz
    from json_to_recordset($1::json) as input (recipient_index text, topic text, channel text)
    order by recipient_index, topic, channel
    on conflict (recipient_index, application_id, mode, topic, channel) do update set state = known.state where false`,
})

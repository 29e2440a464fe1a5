import type { Channel, Frequency, Id, PreferenceSource, PreferenceState } from '@notify/contracts'
import { column, defineStatement, type RowOf, type Run } from '@notify/database'
import { holdChoices } from './hold-choices.ts'
import type { PreferenceOwner } from './preference-store.ts'

/** A choice to make. */
export interface NewChoice {
  /** Of the change. */
  id: Id<'pref'>
  recipient_index: string
  topic: string
  channel: Channel | '*'
  /** Null removes the choice. */
  state: PreferenceState | null
  /** Undefined: it stays as it is. */
  frequency?: Frequency | null | undefined
  /** A later choice that is known already stays; undefined: it is made now, and so is one of the future. */
  changed_at?: string | undefined
}

const changedColumns = { id: column.id('pref'), changed_at: column.timestamp() }

/**
 * Of several choices for the same switch, removals included, the latest counts, and of those the last. A repetition leaves no evidence,
 * but its time counts. The switches are held. Nothing joins the table: a plan made while it was small would read all of it for each choice.
 */
const change = defineStatement({
  name: 'change-preferences',
  text: `
    with input as (
      select distinct on (recipient_index, topic, channel) *, least(changed_at, clock_timestamp()) as at
      from json_to_recordset($1::json) as t (id text, position int, recipient_index text, topic text, channel text, state text,
        frequency text, keeps_frequency boolean, changed_at timestamptz)
      order by recipient_index, topic, channel, coalesce(changed_at, 'infinity') desc, position desc
    ), known as (
      select input.*, p.changed_at = '-infinity' as is_new,
        case when p.changed_at > '-infinity' then p.state end as before, p.frequency as frequency_before,
        case when p.changed_at > '-infinity' then p.changed_at when input.changed_at is not null then (
          select max(c.changed_at) from preference_changes c
          where c.recipient_index = p.recipient_index and c.application_id = $2 and c.mode = $3
            and c.topic = p.topic and c.channel = p.channel and c.after is null) end as known_at
      from input cross join lateral (
        select * from preferences where recipient_index = input.recipient_index and application_id = $2 and mode = $3
          and topic = input.topic and channel = input.channel offset 0) as p
    ), judged as (
      select *, is_newer and (state, frequency_after) is distinct from (before, frequency_before) as is_due
      from (
        select *, known_at is null or changed_at is null or known_at < at as is_newer,
          case when state is null then null when keeps_frequency then frequency_before else frequency end as frequency_after
        from known
      ) as chosen
    ), gone as (
      select recipient_index, topic, channel from judged where case when is_due then state is null else is_new end
    ), removed as (
      delete from preferences p
      where p.recipient_index = any(array(select recipient_index from gone)) and p.application_id = $2 and p.mode = $3
        and ((p.recipient_index, p.topic, p.channel) in (table gone)) is true
    ), kept as (
      insert into preferences (tenant_id, application_id, mode, recipient_index, topic, channel, state, frequency, source, changed_at)
      select $6, $2, $3, recipient_index, topic, channel, state, frequency_after, $4, at from judged where is_newer and state is not null
      on conflict (recipient_index, application_id, mode, topic, channel) do update
      set state = excluded.state, frequency = excluded.frequency, source = excluded.source, changed_at = excluded.changed_at
    ), evidence as (
      insert into preference_changes (id, tenant_id, application_id, mode, recipient_index, topic, channel, before, after,
        frequency_before, frequency_after, source, actor, changed_at)
      select id, $6, $2, $3, recipient_index, topic, channel, before, state, frequency_before, frequency_after, $4, $5, at
      from judged where is_due
      returning id, changed_at
    )
    select id, changed_at from evidence`,
  columns: changedColumns,
})

type Changed = RowOf<typeof changedColumns>

/** Makes choices, in a transaction. @returns which of them changed anything */
export async function changeChoices(
  run: Run,
  { tenantId, applicationId, mode }: PreferenceOwner,
  choices: readonly NewChoice[],
  { source, actor }: { source: PreferenceSource; actor: string | null },
): Promise<Changed[]> {
  const input = JSON.stringify(
    choices.map((choice, position) => ({ ...choice, position, keeps_frequency: choice.frequency === undefined })),
  )
  await run(holdChoices, [input, tenantId, applicationId, mode, source])
  return run(change, [input, applicationId, mode, source, actor, tenantId])
}

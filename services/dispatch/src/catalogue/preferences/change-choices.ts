import type { Channel, Frequency, Id, PreferenceSource, PreferenceState } from '@notify/contracts'
import { column, defineStatement, type RowOf, type Run } from '@notify/database'
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
  /** A later choice that is known already stays; undefined: it is made now. */
  changed_at?: string | undefined
}

const changedColumns = { id: column.id('pref'), changed_at: column.timestamp() }

/**
 * Of several choices for the same switch, the latest counts, and of those the last. What changes nothing leaves no evidence. A
 * choice that was first made while this ran is not seen here: it is locked, in the order of the primary key, and has no time.
 */
const change = defineStatement({
  name: 'change-preferences',
  text: `
    with input as (
      select distinct on (recipient_index, topic, channel) *, coalesce(changed_at, clock_timestamp()) as at
      from json_to_recordset($1::json) as t (id text, position int, recipient_index text, topic text, channel text, state text,
        frequency text, keeps_frequency boolean, changed_at timestamptz)
      order by recipient_index, topic, channel, coalesce(changed_at, 'infinity') desc, position desc
    ), known as (
      select p.* from preferences p join input using (recipient_index, topic, channel)
      where p.application_id = $3 and p.mode = $4
      order by p.recipient_index, p.topic, p.channel for update of p
    ), due as (
      select * from (
        select input.*, known.state as before, known.frequency as frequency_before, known.changed_at as known_at,
          case when input.state is null then null when keeps_frequency then known.frequency else input.frequency end as frequency_after
        from input left join known using (recipient_index, topic, channel)
      ) as chosen
      where (state, frequency_after) is distinct from (before, frequency_before) and (known_at is null or changed_at is null or known_at < changed_at)
    ), removed as (
      delete from preferences p using due
      where due.state is null and p.recipient_index = due.recipient_index and p.application_id = $3 and p.mode = $4
        and p.topic = due.topic and p.channel = due.channel
    ), kept as (
      insert into preferences (tenant_id, application_id, mode, recipient_index, topic, channel, state, frequency, source, changed_at)
      select $2, $3, $4, recipient_index, topic, channel, state, frequency_after, $5, at from due where state is not null
      order by recipient_index, topic, channel
      on conflict (recipient_index, application_id, mode, topic, channel)
        do update set state = excluded.state, frequency = excluded.frequency, source = excluded.source, changed_at = excluded.changed_at
        where exists (select from known k where k.recipient_index = excluded.recipient_index and k.topic = excluded.topic
          and k.channel = excluded.channel)
      returning recipient_index, topic, channel
    ), evidence as (
      insert into preference_changes (id, tenant_id, application_id, mode, recipient_index, topic, channel, before, after,
        frequency_before, frequency_after, source, actor, changed_at)
      select id, $2, $3, $4, recipient_index, topic, channel, before, state, frequency_before, frequency_after, $5, $6, at from due
      where state is null or (recipient_index, topic, channel) in (select * from kept)
      returning id, changed_at
    )
    select due.id, evidence.changed_at from due left join evidence using (id)`,
  columns: { ...changedColumns, changed_at: changedColumns.changed_at.nullable() },
})

type Changed = RowOf<typeof changedColumns>

/** Makes choices. @returns which of them changed anything */
export async function changeChoices(
  run: Run,
  { tenantId, applicationId, mode }: PreferenceOwner,
  choices: readonly NewChoice[],
  { source, actor }: { source: PreferenceSource; actor: string | null },
): Promise<Changed[]> {
  const make = async (some: readonly NewChoice[]) => {
    const input = some.map((choice, position) => {
      return { ...choice, position, keeps_frequency: choice.frequency === undefined }
    })
    return run(change, [JSON.stringify(input), tenantId, applicationId, mode, source, actor])
  }
  const rows = await make(choices)
  const unseen = new Set(rows.filter(({ changed_at }) => changed_at === null).map(({ id }) => id))
  // Judged by what is known now; it is locked, so this is all.
  const again = unseen.size > 0 ? await make(choices.filter(({ id }) => unseen.has(id))) : []
  return [...rows, ...again].filter((row): row is Changed => row.changed_at !== null)
}

import { anyOne, type Channel, type Frequency, type Id, type KeyMode } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'
import { coalesce } from '@notify/service-kit'

/** A message whose recipient may want it more or less often. */
export interface AskedFrequency {
  applicationId: Id<'app'>
  mode: KeyMode
  topic: string
  channel: Channel
  /** Of the user, where one is named, and of the address. */
  indexes: readonly string[]
}

/** How often recipients want messages that are put together in digests. */
export interface FrequencyDirectory {
  /** @returns undefined where nothing is chosen, or nobody may choose */
  find(asked: AskedFrequency): Promise<Frequency | undefined>
}

/** A context with it. */
export interface WithFrequencies {
  directory: { frequencies: FrequencyDirectory }
}

/**
 * The narrowest choice counts: one for the topic before one for the channel; of the user before the address. No join: a plan made
 * while there were few choices would read those of all recipients.
 */
const find = defineStatement({
  name: 'find-frequencies',
  text: `
    select asked.at, (
      select p.frequency from preferences p
      where p.recipient_index = any (array[user_index, address_index]) and p.application_id = asked.application_id
        and p.mode = asked.mode and p.topic = any (array[asked.topic, '${anyOne}'])
        and p.channel = any (array[asked.channel, '${anyOne}']) and p.state = 'on' and p.frequency is not null
      order by p.topic = '${anyOne}', p.channel = '${anyOne}', p.recipient_index = user_index desc limit 1
    ) as frequency
    from json_to_recordset($1::json) as asked (at int, application_id text, mode text, topic text, channel text, user_index text,
      address_index text)
    where (select t.kind from topics t where t.application_id = asked.application_id and t.topic_key = asked.topic)
      is distinct from 'required'`,
  columns: { at: column.integer().present(), frequency: column.text<Frequency>().nullable() },
})

/** Looks up those of the same moment in one query. */
export function createFrequencyDirectory(db: Queries): FrequencyDirectory {
  return {
    find: coalesce<AskedFrequency, Frequency | undefined>({
      maxBatch: 256,
      maxInFlight: 2,
      async run(batch) {
        const asked = batch.map(({ applicationId, mode, topic, channel, indexes }, at) => ({
          ...{ at, application_id: applicationId, mode, topic, channel },
          ...{ user_index: indexes[0], address_index: indexes[1] },
        }))
        const rows = await db.run(find, [JSON.stringify(asked)])
        const found = new Map(rows.map(({ at, frequency }) => [at, frequency ?? undefined]))
        return batch.map((_, at) => found.get(at))
      },
    }),
  }
}

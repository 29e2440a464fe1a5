import type { Channel } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import type { Selectable } from 'kysely'
import { type Tables, tables } from '../../db/schema.ts'

/** A topic as dispatch uses it. */
export interface KnownTopic extends Selectable<Tables['topics']> {
  /** Channels for which a published event puts messages of the topic together in digests. */
  digest_channels: Channel[]
}

/** The topics of applications in the order in which they are shown, cached for a second. */
export interface TopicDirectory {
  list(applicationId: string): Promise<readonly KnownTopic[]>
  find(applicationId: string, topicKey: string): Promise<KnownTopic | undefined>
  forget(): void
}

/** A context with it. */
export interface WithTopics {
  directory: { topics: TopicDirectory }
}

const rememberedMs = 1000

const listAll = defineStatement({
  name: 'list-topics',
  text: `
    select topics.*, coalesce(digest_channels, '{}') as digest_channels
    from topics left join (
      select topic as topic_key, array_agg(distinct channel) as digest_channels from events, unnest(allowed_channels) as channel
      where application_id = $1 and status = 'published' and topic is not null and digest is not null
      group by topic
    ) as digested using (topic_key)
    where application_id = $1 order by position, topic_key`,
  columns: { ...tables.topics, digest_channels: column.texts<Channel>() },
})

export function createTopicDirectory(db: Queries): TopicDirectory {
  const cache = createTtlCache<ReadonlyMap<string, KnownTopic>>({
    ttlMs: rememberedMs,
    maxEntries: 2000,
    load: async (applicationId) =>
      new Map((await db.run(listAll, [applicationId])).map((topic) => [topic.topic_key, topic])),
  })
  return {
    list: async (applicationId) => [...(await cache.get(applicationId)).values()],
    find: async (applicationId, topicKey) => (await cache.get(applicationId)).get(topicKey),
    forget: () => cache.clear(),
  }
}

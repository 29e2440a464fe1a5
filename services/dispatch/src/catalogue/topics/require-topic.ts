import { Channel } from '@notify/contracts'
import type { Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import type { StoredContent } from '../../db/event-tables.ts'
import { topicMissing } from './describe-topic.ts'
import { eventsSentBy, holdTopic, type TopicId, type TopicOwner, type TopicRow } from './topic-store.ts'

/** Refuses an event whose topic does not exist; the topic cannot be deleted until the transaction ends. @throws Problem `topic_not_found` */
export async function requireTopic(run: Run, owner: TopicOwner, topic: string | null | undefined): Promise<void> {
  if (topic && !(await holdTopic(run, { ...owner, topicKey: topic }))) throw topicMissing('topic')
}

/** The channels by which messages of a topic may be sent. */
const sendableBy = ({ kind, channels }: Pick<TopicRow, 'kind' | 'channels'>): readonly Channel[] =>
  kind === 'required' ? Channel.options : channels

/**
 * Refuses to publish an event for a channel by which nobody could switch its topic off; the topic cannot be changed until the
 * transaction ends. @throws Problem `channel_not_allowed`
 */
export async function requireListedChannels(
  run: Run,
  owner: TopicOwner,
  { topic, allowed_channels }: Pick<StoredContent, 'topic' | 'allowed_channels'>,
): Promise<void> {
  const row = topic === null ? undefined : await holdTopic(run, { ...owner, topicKey: topic })
  if (!row) return
  const unlisted = allowed_channels.filter((channel) => !sendableBy(row).includes(channel))
  if (unlisted.length === 0) return
  const message = `must not name ${unlisted.join(', ')}: the topic ${topic} lists ${row.channels.join(', ')}`
  throw new Problem('channel_not_allowed', `allowed_channels ${message}`, {
    errors: [{ path: 'allowed_channels', message }],
  })
}

/** Events that a refusal names. */
export const mostNamed = 5

/**
 * Refuses to take channels from a topic by which a published event sends it. @throws Problem `topic_in_use`
 * @param after its new content, and the keys of events that change with it
 */
export async function requireUnsent(
  run: Run,
  id: TopicId,
  before: Pick<TopicRow, 'kind' | 'channels'>,
  { except, ...after }: Pick<TopicRow, 'kind' | 'channels'> & { except?: readonly string[] },
): Promise<void> {
  const taken = sendableBy(before).filter((channel) => !sendableBy(after).includes(channel))
  const events = taken.length > 0 ? await eventsSentBy(run, id, taken, { most: mostNamed, except }) : []
  if (events.length === 0) return
  const message = `must keep the channels of published events (without ${taken.join(', ')}: ${events.join(', ')})`
  throw new Problem('topic_in_use', `channels ${message}`, { errors: [{ path: 'channels', message }] })
}

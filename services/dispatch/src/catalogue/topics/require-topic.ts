import type { Run } from '@notify/database'
import { topicMissing } from './describe-topic.ts'
import { holdTopic, type TopicOwner } from './topic-store.ts'

/** Refuses an event whose topic does not exist; the topic cannot be deleted until the transaction ends. @throws Problem `topic_not_found` */
export async function requireTopic(run: Run, owner: TopicOwner, topic: string | null | undefined): Promise<void> {
  if (topic && !(await holdTopic(run, { ...owner, topicKey: topic }))) throw topicMissing('topic')
}

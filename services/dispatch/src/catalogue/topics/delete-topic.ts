import { type deleteTopic as contract, dispatchAuditRecorded } from '@notify/contracts'
import { recordAudit } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeTopic, topicIdOf, topicMissing } from './describe-topic.ts'
import { mostNamed } from './require-topic.ts'
import type { WithTopics } from './topic-directory.ts'
import { eventsOfTopic, lockTopic, removeTopic } from './topic-store.ts'

/** Deletes a topic that no event names. */
export const deleteTopic: Handler<Context & WithTopics, typeof contract> = async (context, request) => {
  const id = topicIdOf(request)
  await context.db.transaction(async (run) => {
    const row = await lockTopic(run, id)
    if (!row) throw topicMissing()
    const events = await eventsOfTopic(run, id, mostNamed)
    if (events.length > 0)
      throw new Problem('topic_in_use', `Events of the application name the topic: ${events.join(', ')}`)
    await removeTopic(run, id)
    await recordAudit(run, dispatchAuditRecorded, {
      ...{ request, applicationId: id.applicationId, action: 'topic.deleted', resourceId: id.topicKey },
      ...{ before: describeTopic(row), after: null },
    })
  })
  context.directory.topics.forget()
  context.wakeOutbox()
  return undefined
}

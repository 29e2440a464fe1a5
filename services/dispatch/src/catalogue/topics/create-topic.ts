import { type createTopic as contract, dispatchAuditRecorded } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeTopic, topicIdOf } from './describe-topic.ts'
import type { WithTopics } from './topic-directory.ts'
import { insertTopic, requireRoomForTopic } from './topic-store.ts'

export const createTopic: Handler<Context & WithTopics, typeof contract> = idempotent({
  async effect({ config }, request, run) {
    const { body, principal, params } = request
    const { topic_key, ...content } = body
    const id = topicIdOf({ principal, params: { ...params, topic_key } })
    await requireRoomForTopic(run, id, config.TOPICS_PER_APPLICATION)
    const row = await insertTopic(run, id, content, principal.subject)
    if (!row) throw new Problem('topic_exists', `The application has a topic with the key ${topic_key}`)
    const after = describeTopic(row)
    await recordAudit(run, dispatchAuditRecorded, {
      ...{ request, applicationId: id.applicationId, action: 'topic.created', resourceId: topic_key },
      ...{ before: null, after },
    })
    return new Reply(201, JSON.stringify(after))
  },
  after({ directory, wakeOutbox }) {
    directory.topics.forget()
    wakeOutbox()
  },
})

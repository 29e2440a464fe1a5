import { type replaceTopic as contract, dispatchAuditRecorded } from '@notify/contracts'
import { recordAudit, requireUnchanged } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeTopic, topicIdOf, topicMissing } from './describe-topic.ts'
import { requireUnsent } from './require-topic.ts'
import type { WithTopics } from './topic-directory.ts'
import { lockTopic, updateTopic } from './topic-store.ts'

/** Changes a topic. Its kind counts from then on, for what was accepted before too. */
export const replaceTopic: Handler<Context & WithTopics, typeof contract> = async (context, request) => {
  const { body, principal, query } = request
  const id = topicIdOf(request)
  const after = await context.db.transaction(async (run) => {
    const row = await lockTopic(run, id)
    if (!row) throw topicMissing()
    requireUnchanged('topic', row.updated_at, query.expected_updated_at)
    await requireUnsent(run, id, row, body)
    const after = describeTopic(await updateTopic(run, id, body, principal.subject))
    await recordAudit(run, dispatchAuditRecorded, {
      ...{ request, applicationId: id.applicationId, action: 'topic.changed', resourceId: id.topicKey },
      ...{ before: describeTopic(row), after },
    })
    return after
  })
  context.directory.topics.forget()
  context.wakeOutbox()
  return after
}

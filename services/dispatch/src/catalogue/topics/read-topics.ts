import { type getTopic as getContract, type listTopics as listContract, TopicKey } from '@notify/contracts'
import { type ListOrder, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeTopic, topicIdOf, topicMissing } from './describe-topic.ts'
import { findTopic, listTopicRows, type TopicRow } from './topic-store.ts'

const byKey: ListOrder<TopicRow, string> = { position: TopicKey, of: ({ topic_key }) => topic_key }

export const listTopics: Handler<Context, typeof listContract> = async ({ db }, request) => {
  const owner = { tenantId: request.principal.tenant_id, applicationId: request.params.application_id }
  const { items, next_cursor } = await page(request, byKey, (after, limit) =>
    listTopicRows(db.run, owner, { after, limit }),
  )
  return { items: items.map(describeTopic), next_cursor }
}

export const getTopic: Handler<Context, typeof getContract> = async ({ db }, request) => {
  const row = await findTopic(db.run, topicIdOf(request))
  if (!row) throw topicMissing()
  return describeTopic(row)
}

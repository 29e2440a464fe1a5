import { type Id, type OperatorPrincipal, type Topic, TopicKey } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { TopicId, TopicRow } from './topic-store.ts'

/** A topic as operators see it. */
export function describeTopic({ tenant_id: _, updated_by: __, created_at, updated_at, ...topic }: TopicRow): Topic {
  return { ...topic, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() }
}

interface TopicRequest {
  principal: OperatorPrincipal
  params: { application_id: Id<'app'>; topic_key: string }
}

/** The topic that a path names. @throws Problem `topic_not_found` for a text that cannot be a key */
export function topicIdOf({ principal, params }: TopicRequest): TopicId {
  if (!TopicKey.safeParse(params.topic_key).success) throw topicMissing()
  return { tenantId: principal.tenant_id, applicationId: params.application_id, topicKey: params.topic_key }
}

export function topicMissing(path = 'topic_key'): Problem {
  const errors = [{ path, message: 'names no topic of the application' }]
  return new Problem('topic_not_found', 'The application has no topic with this key', { errors })
}

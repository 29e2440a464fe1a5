import { expect } from '@jest/globals'
import type { ApiRequest, ApiResponse } from '@notify/dev-env'
import { asOperator } from '@notify/test-kit/api'
import { env } from './stack.ts'

export const operator = (method: string, path: string, body?: object) =>
  asOperator(env, method, `/api/v1/applications/${env.applicationId}${path}`, body ? { body } : {})

/** A topic of its own. @returns its key */
export async function addTopic(fields: object = {}): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const { status } = await operator('POST', '/topics', { topic_key, name: 'News', channels: ['sms'], ...fields })
  expect(status).toBe(201)
  return topic_key
}

type Rule = { topic: string; channel: string; state: string | null }
export const choose = (user: string, rule: Rule) =>
  env.api('PATCH', `/api/v1/users/${encodeURIComponent(user)}/preferences`, { body: { rules: [rule] } })
export const importFor = (address: string, rule: Rule) =>
  env.api('POST', '/api/v1/preferences/import', { body: { rules: [{ address, ...rule }] } })
export const explain = async (body: object, request: ApiRequest = {}) =>
  (await env.api('POST', '/api/v1/preferences/explain', { body, ...request })).body

/** The state of each channel of a topic in the preferences of a person. */
export function statesIn({ body }: Pick<ApiResponse, 'body'>, topic: string): Record<string, string> {
  const { channels } = body.topics.find(({ topic_key }: { topic_key: string }) => topic_key === topic)
  return Object.fromEntries(channels.map(({ channel, state }: Record<string, string>) => [channel, state]))
}

export const toUser = (user: string, topic: string, fields: object = {}) => ({
  ...{ channel: 'in_app', recipient: user, title: 'News', body: 'Something new', topic },
  ...fields,
})
export const ahead = (ms: number) => new Date(Date.now() + ms).toISOString()

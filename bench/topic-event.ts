import { Channel } from '@notify/contracts'
import type { Stack } from '@notify/dev-env'
import { addToApplication, callAsApplication } from './stack-calls.ts'

const topics = Array.from({ length: 13 }, (_, n) => `topic-${n}`)
const channels = Channel.options

/** What a request needs beside a recipient and `data` to belong to a topic. */
export const topicFields = { event_key: 'order.topical' }
/** A user without rules, and one with fifty that stop nothing of the topic. */
export const [plainUser, choosyUser] = ['plain', 'choosy']

/** Adds the demo's event with a topic, and two users. */
export async function addTopicEvent(stack: Stack): Promise<void> {
  for (const topic_key of topics)
    await addToApplication(stack, '/topics', { topic_key, name: topic_key, channels, kind: 'on' })
  await addToApplication(stack, '/events', {
    ...{ event_key: topicFields.event_key, name: 'Order shipped', status: 'published', allowed_channels: ['sms'] },
    templates: { sms: { body: 'Hi {{name}}, {{order}}.' } },
    topic: topics[0],
  })
  for (const user of [plainUser, choosyUser])
    await callAsApplication(stack, 'PUT', `/users/${user}`, { phone: '+14155550100' })
  const rules = topics
    .flatMap((topic) => channels.map((channel) => ({ topic, channel, state: topic === topics[0] ? 'on' : 'off' })))
    .slice(0, 50)
  await callAsApplication(stack, 'PATCH', `/users/${choosyUser}/preferences`, { rules })
}

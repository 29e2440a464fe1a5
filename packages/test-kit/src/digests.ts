import { expect } from '@jest/globals'
import type { TestEnv } from '@notify/dev-env'
import { asOperator } from './api.ts'

/** Adds an event that puts mail of a topic together. */
export async function addDigest(env: TestEnv, topic: string): Promise<void> {
  const templates = { email: { subject: '{{ total }} messages', body: '{{ total }}' } }
  const event = { event_key: `of-${topic}`, name: topic, status: 'published', allowed_channels: ['email'], topic }
  const { status, text } = await asOperator(env, 'POST', `/api/v1/applications/${env.applicationId}/events`, {
    body: { ...event, templates, digest: { window: { seconds: 3600 } } },
  })
  expect([status, text]).toEqual([201, expect.any(String)])
}

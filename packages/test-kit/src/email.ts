import { expect } from '@jest/globals'
import type { TestEnv } from '@notify/dev-env'
import { post } from './api.ts'

let serial = 0

/** An address that no other test of the file uses; the part before the plus sign chooses the sandbox's behaviour. */
export function freshAddress(behaviour = 'ada'): string {
  serial += 1
  return `${behaviour}+${serial}@mailbox.example`
}

/** A request in the content form that is accepted as it is. */
export function emailTo(recipient: string | object, fields: object = {}): Record<string, unknown> {
  return { channel: 'email', recipient, subject: 'Your table', body: 'Your table is ready.', ...fields }
}

/** Sends an email and expects it to be accepted. @returns its id */
export async function sendEmail(env: TestEnv, body: Record<string, unknown>): Promise<string> {
  const answer = await post(env, body)
  expect([answer.status, answer.body.detail ?? answer.body.status]).toEqual([202, 'accepted'])
  return answer.body.notification_id
}

/** The one email that the carrier got for this address. */
export async function emailOf(env: TestEnv, to: string) {
  const messages = await env.messages({ to, channel: 'email' })
  expect(messages).toHaveLength(1)
  return messages[0]!
}

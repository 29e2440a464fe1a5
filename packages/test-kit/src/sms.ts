import { expect } from '@jest/globals'
import { type ApiResponse, eventually, type TestEnv } from '@notify/dev-env'
import { post, postUntilTaken } from './api.ts'

let serial = 2_000_000

/** A number that no other test of the file uses; its last four digits tell the carrier sandbox what to do. */
export function freshPhone(ending = '0100'): string {
  serial += 1
  return `+1${serial}${ending}`
}

/** A request in the content form that is accepted as it is. */
export function smsTo(phone: string, fields: object = {}): Record<string, unknown> {
  return { channel: 'sms', recipient: { phone }, body: 'Your table is ready.', ...fields }
}

/** Sends a message and expects it to be accepted. @returns its id */
export async function send(env: TestEnv, phone = freshPhone(), fields: object = {}): Promise<string> {
  return acceptedIn(await post(env, smsTo(phone, fields)))
}

/** The same for one of many at the same moment: on a busy machine some are first answered 503. */
export async function sendUntilTaken(env: TestEnv, phone = freshPhone(), fields: object = {}): Promise<string> {
  return acceptedIn(await postUntilTaken(env, '/api/v1/notifications', smsTo(phone, fields)))
}

function acceptedIn({ status, body }: ApiResponse): string {
  expect([status, body.status]).toEqual([202, 'accepted'])
  return body.notification_id
}

/** Waits until the threads that render have started: on a busy machine the first template is refused with 503. */
export async function untilTemplatesRender(env: TestEnv): Promise<void> {
  const broken = smsTo(freshPhone(), { body: '{% if %}', template_data: {} })
  await eventually(async () => expect((await post(env, broken)).status).toBe(422))
}

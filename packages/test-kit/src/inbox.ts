import { expect } from '@jest/globals'
import { type ApiResponse, eventually, patienceMs, type TestEnv } from '@notify/dev-env'
import { post, postUntilTaken } from './api.ts'

let serial = 0

/** A user that no other test of the file uses. */
export function freshUser(): string {
  serial += 1
  return `user-${serial}-${process.pid}`
}

/** Sends an in-app notification and expects it to be accepted. @returns its id */
export async function sendInApp(env: TestEnv, recipient: string, fields: object = {}): Promise<string> {
  return acceptedIn(await post(env, inAppTo(recipient, fields)))
}

/** The same for one of many at the same moment: on a busy machine some are first answered 503. */
export async function sendInAppUntilTaken(env: TestEnv, recipient: string, fields: object = {}): Promise<string> {
  return acceptedIn(await postUntilTaken(env, '/api/v1/notifications', inAppTo(recipient, fields)))
}

const inAppTo = (recipient: string, fields: object = {}) => ({
  ...{ channel: 'in_app', recipient, title: 'Hi', body: 'Hello' },
  ...fields,
})

function acceptedIn({ status, body, text }: ApiResponse): string {
  expect([status, text]).toEqual([202, expect.any(String)])
  return body.notification_id
}

/** A token of a user, as the application's backend gets it. */
export async function userToken(env: TestEnv, user_id: string, fields: object = {}): Promise<string> {
  const { status, body } = await env.api('POST', '/api/v1/in-app/tokens', { body: { user_id, ...fields } })
  expect([status, body.user_id]).toEqual([201, user_id])
  return body.token
}

/** The inbox, through the gateway. */
export function inbox(env: TestEnv, token: string, search = ''): Promise<ApiResponse> {
  return env.api('GET', `/api/v1/inbox${search}`, { token })
}

/** Waits until the inbox has so many notifications, and gives it. */
export function untilInbox(env: TestEnv, token: string, count: number, timeoutMs = patienceMs) {
  return eventually(
    async () => {
      const { body } = await inbox(env, token, '?limit=100')
      expect(body.notifications).toHaveLength(count)
      return body
    },
    { timeoutMs },
  )
}

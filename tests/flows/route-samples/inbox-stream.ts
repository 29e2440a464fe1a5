import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { freshUser, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import type { Samples } from './sample.ts'

export function inboxSamples(env: TestEnv): Samples {
  const asUser = async () => ({ token: await userToken(env, freshUser()) })
  const received = async () => {
    const user = freshUser()
    await sendInApp(env, user)
    const token = await userToken(env, user)
    const { notifications } = await untilInbox(env, token, 1)
    return { token, params: { id: notifications[0].id } }
  }
  return {
    createUserToken: () => ({ fresh: { user_id: freshUser() } }),
    getUserTokenKeys: () => ({}),
    getOwnPreferences: asUser,
    changeOwnPreferences: asUser,
    listInbox: asUser,
    getUnreadCount: asUser,
    readWholeInbox: async () => ({ ...(await asUser()), body: {} }),
    markInboxNotification: received,
    deleteInboxNotification: received,
    streamInbox: async () => {
      const { token } = await asUser()
      return { call: () => openStream(env, token) }
    },
  }
}

/** Opens a stream and closes it after its first event: it would not end. */
async function openStream(env: TestEnv, token: string): Promise<ApiResponse> {
  const closing = new AbortController()
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` }
  const url = `${env.stack.url('gateway')}/api/v1/in-app/stream`
  const response = await fetch(url, { headers, signal: closing.signal })
  const { value } = await response.body!.getReader().read()
  closing.abort()
  const text = Buffer.from(value ?? []).toString()
  return { status: response.status, headers: response.headers, body: text, text }
}

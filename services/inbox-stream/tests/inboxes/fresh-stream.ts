import { expect, test } from '@jest/globals'
import { freshUser, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import { readEvents } from '../read-events.ts'
import { env } from './stack.ts'

test('a fresh stream gets a heartbeat with the last id at once, so that no client resumes before the first event', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  for (let at = 0; at < 2; at++) await sendInApp(env, user)
  await untilInbox(env, token, 2)
  const stream = await readEvents(env, token)
  await sendInApp(env, user)
  await stream.until('notification.created')
  const [ready, heartbeat, created] = stream.text().split('\n\n')
  expect(ready).toMatch(/^id: 0\nevent: connection\.ready\n/)
  expect(heartbeat).toBe('id: 2\nevent: heartbeat\ndata: {}')
  expect(created).toMatch(/^id: 3\nevent: notification\.created\n/)
  stream.close()
})

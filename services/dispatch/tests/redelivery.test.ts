import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { publish } from '@notify/messaging'
import { activity, retry, untilActivity } from '@notify/test-kit/activity'
import { stateOf } from '@notify/test-kit/api'
import { openBus, storedMessages, untilQuiet } from '@notify/test-kit/bus'
import { freshPhone, send } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
})
afterAll(() => env?.stop())

test('redelivering every message of the bus sends nothing again and changes no state and no count', async () => {
  const delivered = await send(env)
  const undelivered = await send(env, freshPhone('0002'))
  const refused = await send(env, freshPhone('0003'))
  const scrambled = await send(env, freshPhone('0007'))
  const silent = await send(env, freshPhone('0008'))
  await untilActivity(env, delivered, { status: 'delivered' })
  await untilActivity(env, undelivered, { status: 'undelivered' })
  expect((await retry(env, undelivered)).status).toBe(202)
  await untilActivity(env, undelivered, { status: 'undelivered', retry_count: 1 })
  await untilActivity(env, refused, { status: 'failed' })
  await untilActivity(env, scrambled, { status: 'delivered' })
  await untilActivity(env, silent, { status: 'sent' })

  await using bus = await openBus(env)
  await untilQuiet(bus)
  const ids = [delivered, undelivered, refused, scrambled, silent]
  const picture = async () => ({
    activity: (await activity(env)).body,
    failed: (await activity(env, { status: 'failed' })).body.total_count,
    states: await Promise.all(ids.map((id) => stateOf(env, id))),
    sent: await env.messages(),
  })
  const before = await picture()
  expect(before.sent).toHaveLength(5)
  const messages = await storedMessages(bus, ['dispatch', 'callbacks'])
  expect(messages.length).toBeGreaterThan(10)
  for (const { subject, text, messageId } of messages) {
    await publish(bus, { id: messageId, subject, events: text }, crypto.randomUUID())
  }
  await untilQuiet(bus)
  expect(await picture()).toEqual(before)
})

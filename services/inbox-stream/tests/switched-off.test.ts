import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { expectProblem, stateOf, untilState } from '@notify/test-kit/api'
import { openBus, type StoredMessage } from '@notify/test-kit/bus'
import { type DispatchGate, startDispatchGate } from '@notify/test-kit/dispatch-gate'
import { freshUser, inbox, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import { handOffsOf } from './hand-offs.ts'

let env: TestEnv
let gate: DispatchGate
let topic: string
beforeAll(async () => {
  gate = await startDispatchGate(() => env.stack.url('dispatch-api'))
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    apart: ['inbox-stream'],
    env: { 'inbox-stream': { DISPATCH_URL: gate.url } },
  })
  topic = `topic-${crypto.randomUUID()}`
  const path = `/api/v1/applications/${env.applicationId}/topics`
  const body = { topic_key: topic, name: 'Weekly news', channels: ['in_app'] }
  expect((await env.api('POST', path, { token: env.operatorToken, body })).status).toBe(201)
})
afterEach(() => gate.set('pass'))
afterAll(async () => {
  await env?.stop()
  gate?.stop()
})

async function choose(user: string, state: 'on' | 'off'): Promise<void> {
  const body = { rules: [{ topic, channel: 'in_app', state }] }
  expect((await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body })).status).toBe(200)
}

/** Sends notifications to a user, each after the answer to the last. @returns their ids */
async function sendAll(user: string, all: Record<string, object>): Promise<string[]> {
  const ids: string[] = []
  for (const [title, fields] of Object.entries(all)) ids.push(await sendInApp(env, user, { title, ...fields }))
  return ids
}

const titlesOf = ({ notifications }: { notifications: { title: string }[] }) =>
  notifications.map(({ title }) => title).reverse()

/** Delivers hand-offs as other messages: the duplicate window would drop the same ones. */
async function deliver(handOffs: readonly StoredMessage[]): Promise<void> {
  await using bus = await openBus(env)
  for (const { subject, text } of handOffs) await bus.js.publish(subject, text, { msgID: newId('msg') })
}

/** Takes hand-offs off the stream while nobody consumes them. */
async function takeOff(ids: readonly string[]): Promise<StoredMessage[]> {
  await using bus = await openBus(env)
  const handOffs = await handOffsOf(bus, ids)
  await bus.jsm.streams.purge('DISPATCH', { filter: 'dispatch.inbox.>' })
  return handOffs
}

/** The statuses of all reports on a notification, in their order. */
async function reportsOn(id: string): Promise<string[]> {
  const { rows } = await env
    .sql('inbox-stream')
    .query(`select events from outbox where subject = 'inbox.created' and events like $1 order by id`, [`%${id}%`])
  const reports = rows.flatMap(({ events }) => JSON.parse(events) as { event: Record<string, string> }[])
  return reports.flatMap(({ event }) => (event.notification_id === id ? [event.status!] : []))
}

test('an off from after the acceptance keeps a message out of the inbox, and no later message waits for it', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  await env.kill('inbox-stream')
  const ids = await sendAll(user, { off: { topic }, later: {} })
  const [id, later] = ids as [string, string]
  const handOffs = await takeOff(ids)
  await choose(user, 'off')
  await deliver(handOffs)
  await env.restart('inbox-stream')
  const shown = await untilInbox(env, token, 1)
  expect([titlesOf(shown), shown.unread_count]).toEqual([['later'], 1])
  const switchedOff = { failure_reason: 'recipient_opted_out', retryable: false }
  await untilState(env, id, { delivery_status: 'cancelled', ...switchedOff })
  await untilState(env, later, { delivery_status: 'delivered' })
  await untilActivity(env, id, { status: 'cancelled', ...switchedOff })
  const retried = await env.api('POST', `/api/v1/activity/${id}/retry`, { token: env.operatorToken })
  expectProblem(retried, 409, 'not_retryable')
  // A repetition is reported as the first one was, also when the choice is taken back.
  await choose(user, 'on')
  await deliver(handOffs)
  await eventually(async () => expect(await reportsOn(id)).toEqual(['cancelled', 'cancelled']))
  expect(titlesOf((await inbox(env, token)).body)).toEqual(['later'])
  expect((await stateOf(env, id)).delivery_status).toBe('cancelled')
})

test('a message that waits for its predecessor is judged again when it would be stored', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  await env.kill('inbox-stream')
  const ids = await sendAll(user, { first: {}, off: { topic }, wanted: {}, last: {} })
  const [first, ...rest] = await takeOff(ids)
  await deliver(rest)
  await env.restart('inbox-stream')
  await eventually(async () => {
    const { rows } = await env.sql('inbox-stream').query('select notification_id from waiting_items')
    expect(rows).toHaveLength(3)
  })
  await choose(user, 'off')
  await deliver([first!])
  expect(titlesOf(await untilInbox(env, token, 3))).toEqual(['first', 'wanted', 'last'])
  await untilState(env, ids[1]!, { delivery_status: 'cancelled', failure_reason: 'recipient_opted_out' })
})

test('a message that is in the inbox already stays there after an off, and stays delivered when it is handed over again', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  const [id] = await sendAll(user, { before: { topic } })
  await untilState(env, id!, { delivery_status: 'delivered' })
  await choose(user, 'off')
  await using bus = await openBus(env)
  await deliver(await handOffsOf(bus, [id!]))
  await eventually(async () => expect(await reportsOn(id!)).toEqual(['delivered', 'delivered']))
  expect(titlesOf((await inbox(env, token)).body)).toEqual(['before'])
})

test('while dispatch does not answer, messages of a topic wait, and those that follow them; others are stored and ask nothing', async () => {
  const [user, other] = [freshUser(), freshUser()]
  const [token, others] = [await userToken(env, user), await userToken(env, other)]
  gate.set('refuse')
  await sendAll(other, { plain: {} })
  await untilInbox(env, others, 1)
  expect(gate.calls).toBe(0)
  await sendAll(user, { wanted: { topic }, next: {} })
  await eventually(() => expect(gate.calls).toBeGreaterThan(1))
  await sendAll(other, { again: {} })
  await untilInbox(env, others, 2)
  expect((await inbox(env, token)).body.notifications).toEqual([])
  gate.set('pass')
  expect(titlesOf(await untilInbox(env, token, 2))).toEqual(['wanted', 'next'])
})

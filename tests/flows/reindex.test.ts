import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  type Lane,
  type NotificationFact,
  newId,
  notificationChanged,
  serviceNames,
  subjectOf,
} from '@notify/contracts'
import {
  environmentOf,
  eventually,
  fileOf,
  machineEnvironment,
  programPath,
  type ServiceProcess,
  TestEnv,
} from '@notify/dev-env'
import { createBlindIndex, parseIndexKeys } from '@notify/privacy'
import { activity, untilActivity } from '@notify/test-kit/activity'
import { asOperator, expectProblem, post, postUntilTaken, untilAvailable, untilState } from '@notify/test-kit/api'
import { openBus, storedMessages, untilQuiet } from '@notify/test-kit/bus'
import { emailOf, emailTo, freshAddress } from '@notify/test-kit/email'
import { freshUser, inbox, sendInApp, sendInAppUntilTaken, untilInbox, userToken } from '@notify/test-kit/inbox'
import { type ReplicaProcess, runCommand, startReplicas } from '@notify/test-kit/processes'
import { freshPhone, send, sendUntilTaken, smsTo } from '@notify/test-kit/sms'
import { freshPath, subscribe, untilReceived } from '@notify/test-kit/webhooks'
import { optIn, shippedTo, untilConsent, untilTemplates } from '@notify/test-kit/whatsapp'
import { indexOf, tablesWith } from './find-person.ts'

/** The processes with the command, one of each service that has indexes. */
const indexing = ['dispatch-worker', 'gateway', 'otp', 'consent', 'inbox-stream', 'webhook-delivery'] as const
const differs = 'BLIND_INDEX_KEY differs from the one in the database: run main.mjs reindex'

let env: TestEnv
let servers: ReplicaProcess | undefined
const programs: ChildProcess[] = []
beforeAll(async () => {
  env = await TestEnv.start(serviceNames, { apart: ['carrier-sandbox', 'identity-provider'] })
})
afterAll(async () => {
  // Jest waits for them.
  for (const program of programs) program.kill('SIGKILL')
  await servers?.end('SIGKILL')
  await env?.stop()
})

/** The old list, and the new one, which has a key more. */
const oldKeys = () => ({ BLIND_INDEX_KEY: env.stack.state.blind_index_key })
const newKey = randomBytes(32).toString('base64')
const newKeys = () => ({ BLIND_INDEX_KEY: `${env.stack.state.blind_index_key},${newKey}` })

const indexUnder = ({ BLIND_INDEX_KEY: list }: ReturnType<typeof oldKeys>, recipient: string) =>
  createBlindIndex(parseIndexKeys(list))(env.tenantId, recipient)

const operator = (method: string, path: string, body?: object) => asOperator(env, method, path, body && { body })
const suppress = (recipient: string) =>
  operator('POST', '/api/v1/suppressions', { channel: 'sms', recipient, reason: 'manual' })
const oneClick = (url: string) =>
  eventually(async () => {
    const answer = await fetch(url, {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    // On a busy machine the first requests after a start may take too long.
    expect(answer.status).not.toBe(503)
    return answer
  })
const choicesOf = async (address: string) =>
  (await untilAvailable(() => env.api('POST', '/api/v1/preferences/lookup', { body: { address } }))).body.rules

async function addTopic(): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const body = { topic_key, name: 'Weekly news', channels: ['email'] }
  expect((await operator('POST', `/api/v1/applications/${env.applicationId}/topics`, body)).status).toBe(201)
  return topic_key
}

/** Sends a mail of a topic. @returns its link */
async function mailOf(topic: string, to: string, fields: object = {}): Promise<string> {
  const body = { topic, body: 'Leave: {{ unsubscribe_url }}', template_data: {}, ...fields }
  expect((await post(env, emailTo(to, body))).status).toBe(202)
  const { text } = await eventually(() => emailOf(env, to))
  return /https?:\S+\/u\/[\w-]+/.exec(text)![0]
}

/** @returns the key of an event whose messages of a day are sent as one */
async function addDigest(): Promise<string> {
  const event_key = `digest.${crypto.randomUUID()}`
  const texts = { allowed_channels: ['sms'], templates: { sms: { body: '{{ total }} news' } } }
  const body = { event_key, name: 'News', status: 'published', ...texts, digest: { window: { seconds: 86_400 } } }
  expect((await operator('POST', `/api/v1/applications/${env.applicationId}/events`, body)).status).toBe(201)
  return event_key
}

/** Adds an item for each recipient. @returns how many items the open digests of the event have had */
async function addItems(event_key: string, recipients: readonly object[]): Promise<number[]> {
  for (const recipient of recipients) {
    const body = { channel: 'sms', recipient, event_key, data: {} }
    expect((await postUntilTaken(env, '/api/v1/notifications', body)).status).toBe(202)
  }
  const { rows } = await env.admin.query('select joined from dispatch.digests where event_key = $1', [event_key])
  return rows.map(({ joined }) => joined)
}

/** Starts a process of a service, or a command of it, without waiting for it. */
async function startProgram(name: ServiceProcess, args: string[], variables: Record<string, string>) {
  const child = spawn(process.execPath, [programPath(fileOf(name)), ...args], {
    env: { ...machineEnvironment(), ...(await environmentOf(name, env.stack.wiring)), ...variables },
    stdio: 'ignore',
  })
  programs.push(child)
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function failuresOf(name: ServiceProcess): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${env.stack.ports.metrics[name]}/readyz`)
  return [response.status, ((await response.json()) as { failures: string[] }).failures]
}

const reached = async (table: string): Promise<number | undefined> => {
  const { rows } = await env.admin.query('select reached ->> $1 as page from dispatch.blind_index_keys', [table])
  return rows[0]?.page === null ? undefined : Number(rows[0]?.page)
}

/** A fact that nobody has consumed when the services stop. */
function factOf(phone: string): NotificationFact & { lane: Lane } {
  const now = new Date().toISOString()
  return {
    ...{ notification_id: newId('notif'), tenant_id: env.tenantId as `ten_${string}` },
    ...{ application_id: env.applicationId as `app_${string}`, mode: 'live', revision: 3, lane: 'transactional' },
    ...{ channel: 'sms', event_key: null, status: 'delivered', recipient_masked: '+1***', metadata: null },
    recipient_index: indexOf(env, phone),
    ...{ failure_reason: null, retryable: false, retry_count: 0, credits: 1, category: null },
    ...{ created_at: now, occurred_at: now },
  }
}

test('after a new key and reindex everybody who was known is known, nothing has an old index, and only the new list is served', async () => {
  const [sentTo, blocked, shopper, coded] = [freshPhone(), freshPhone(), freshPhone(), freshPhone()]
  const [reader, copied, subscriber] = [freshAddress(), freshAddress(), freshAddress()]
  const [user, userPhone] = [freshUser(), freshPhone()]
  await untilTemplates(env)
  const path = freshPath('ok')
  await subscribe(env, path, { events: ['notification.delivered'] })
  const sent = await send(env, sentTo)
  expect((await suppress(blocked)).status).toBe(201)
  expect((await optIn(env, shopper, { evidence_url: 'https://shop.example/opt-ins/1' })).status).toBe(201)
  const code = await postUntilTaken(env, '/api/v1/otp/send', { channel: 'sms', recipient: coded })
  expect(code.status).toBe(200)
  const [left, kept] = [await addTopic(), await addTopic()]
  expect((await oneClick(await mailOf(left, reader, { cc: copied }))).status).toBe(200)
  const oldLink = await mailOf(kept, subscriber)
  expect((await env.api('PUT', `/api/v1/users/${user}`, { body: { phone: userPhone } })).status).toBe(200)
  const digest = await addDigest()
  const people = [{ phone: freshPhone() }, { user_id: user }]
  expect(await addItems(digest, people)).toEqual([1, 1])
  const { body: list } = await env.api('POST', '/api/v1/lists', { body: { name: 'Customers' } })
  const members = { members: [{ user_id: user, data: { name: 'Ada' } }] }
  expect((await env.api('PUT', `/api/v1/lists/${list.list_id}/members`, { body: members })).status).toBe(200)
  const shown = await sendInApp(env, user, { data: { category: 'orders' } })
  await untilState(env, shown, { delivery_status: 'delivered' })
  const later = { channel: 'sms', body: 'Hello', send_at: new Date(Date.now() + 3_600_000).toISOString() }
  const broadcast = await env.api('POST', `/api/v1/lists/${list.list_id}/notifications`, { body: later })
  expect(broadcast.status).toBe(202)
  await eventually(async () =>
    expect((await env.api('GET', `/api/v1/broadcasts/${broadcast.body.broadcast_id}`)).body.status).toBe('completed'),
  )
  const job = await operator('POST', '/api/v1/activity/retries', { recipient: sentTo })
  expect([job.status, job.text]).toEqual([202, expect.any(String)])
  await untilActivity(env, sent, { status: 'delivered' })
  await untilReceived(env, path, 1)
  await using bus = await openBus(env)
  await untilQuiet(bus, serviceNames)
  const oldIndexes = [
    ...[sentTo, blocked, shopper, coded, userPhone, reader, copied, subscriber, user],
    `${env.applicationId} live ${user}`,
    'category orders',
  ].map((name) => indexOf(env, name))
  expect(await tablesWith(env, ...oldIndexes)).toEqual(
    expect.arrayContaining([
      'consent.consent_entries',
      'consent.consents',
      'dispatch.copies',
      'dispatch.hand_off_tails',
      'dispatch.list_members',
      'dispatch.notifications',
      'dispatch.outbox',
      'dispatch.preference_changes',
      'dispatch.preferences',
      'dispatch.recipients',
      'dispatch.suppressions',
      'gateway.activity',
      'gateway.retry_jobs',
      'inbox_stream.inbox_events',
      'inbox_stream.inbox_items',
      'inbox_stream.inboxes',
      'otp.messages',
      'otp.transactions',
      'webhook_delivery.deliveries',
    ]),
  )
  const { rows: consentBefore } = await env.admin.query('select count(*) from consent.consent_entries')

  const processes = Object.keys(env.urls).filter((one) => !/sandbox|identity|shop/.test(one)) as ServiceProcess[]
  await env.stack.stopProcess('gateway')
  // Enough rows that the command can be killed among them.
  await env.admin.query(
    `insert into dispatch.suppressions (id, tenant_id, channel, recipient_index, recipient_masked, reason, reported_at, occurred_at)
     select 'sup_many' || n, 'ten_many', 'sms', left(translate(encode(sha256(n::text::bytea), 'base64'), '+/', '-_'), 21) || 'A', '+1***', 'stop', now(), now()
     from generate_series(1, 100000) as n`,
  )
  const late = freshPhone()
  const lateFact = factOf(late)
  await bus.js.publish(subjectOf(notificationChanged, lateFact), JSON.stringify([{ event: lateFact }]))
  const early = await startProgram('consent', [], newKeys())
  await eventually(async () => expect(await failuresOf('consent')).toEqual([503, ['starting or draining', differs]]))
  await kill(early)
  await env.admin.query(`update dispatch.broadcasts set status = 'paused' where status = 'completed'`)
  const open = await runCommand(env, 'dispatch-worker', ['reindex'], newKeys())
  expect([open.status, open.output]).toEqual([1, expect.stringContaining('1 broadcasts are open')])
  await env.admin.query(`update dispatch.broadcasts set status = 'completed'`)
  const foreign = await runCommand(env, 'dispatch-worker', ['reindex'], { BLIND_INDEX_KEY: newKey })
  expect([foreign.status, foreign.output]).toEqual([1, expect.stringContaining('must be the list with which')])
  const killed = await startProgram('dispatch-worker', ['reindex'], newKeys())
  await eventually(async () => expect(await reached('suppressions')).toBeGreaterThan(0), { intervalMs: 5 })
  await kill(killed)
  expect(await reached('hand_off_tails')).toBeUndefined()
  for (const name of indexing) {
    const { status, output } = await runCommand(env, name, ['reindex'], newKeys())
    expect([name, status, output]).toEqual([name, 0, expect.stringContaining('now under all keys')])
  }
  expect(await tablesWith(env, ...oldIndexes)).toEqual([])
  expect((await env.admin.query('select count(*) from consent.consent_entries')).rows).toEqual(consentBefore)
  const old = await startProgram('consent', [], oldKeys())
  await eventually(async () => expect(await failuresOf('consent')).toEqual([503, ['starting or draining', differs]]))
  await kill(old)

  servers = await startReplicas(env, Object.fromEntries(processes.map((name) => [name, newKeys()])))
  expectProblem(await untilAvailable(() => post(env, smsTo(blocked))), 422, 'recipient_suppressed')
  await untilConsent(env, shopper, { status: 'active' })
  expect((await postUntilTaken(env, '/api/v1/notifications', shippedTo(shopper))).status).toBe(202)
  const verified = await postUntilTaken(env, '/api/v1/otp/verify', {
    transaction_id: code.body.transaction_id,
    code: await codeSentTo(coded),
  })
  expect(verified.body).toMatchObject({ status: 'verified' })
  expect(await choicesOf(reader)).toMatchObject([{ topic: left, state: 'off' }])
  const refused = await untilAvailable(() => post(env, emailTo(reader, { topic: left })))
  expectProblem(refused, 422, 'recipient_opted_out')
  expect((await oneClick(oldLink)).status).toBe(200)
  expect(await choicesOf(subscriber)).toMatchObject([{ topic: kept, state: 'off' }])
  const person = await untilAvailable(() => env.api('GET', `/api/v1/users/${user}`))
  expect(person.body).toMatchObject({ phone: userPhone })
  expect(await addItems(digest, people)).toEqual([2, 2])
  const hello = { channel: 'sms', recipient: { user_id: user }, body: 'Hello' }
  const toUser = await postUntilTaken(env, '/api/v1/notifications', hello)
  await untilState(env, toUser.body.notification_id, { delivery_status: 'delivered' })
  expect((await env.messages({ to: userPhone })).length).toBe(1)
  const listPath = `/api/v1/lists/${list.list_id}`
  const put = await untilAvailable(() => env.api('PUT', `${listPath}/members`, { body: members }))
  expect(put.status).toBe(200)
  expect((await untilAvailable(() => env.api('GET', listPath))).body.member_count).toBe(1)
  await sendInAppUntilTaken(env, user, { data: { category: 'orders' } })
  const token = await userToken(env, user)
  await untilInbox(env, token, 2)
  const ofOrders = await untilAvailable(() => inbox(env, token, '?category=orders'))
  expect(ofOrders.body.notifications).toHaveLength(2)
  const again = await sendUntilTaken(env, sentTo)
  await untilActivity(env, again, { status: 'delivered' })
  const { body: found } = await untilAvailable(() => activity(env, { recipient: sentTo }))
  expect(found.items.map(({ transaction_id }: { transaction_id: string }) => transaction_id).toSorted()).toEqual(
    [sent, again].toSorted(),
  )

  await eventually(async () => expect((await activity(env, { recipient: late })).body.items).toHaveLength(1))
  await eventually(async () => {
    const { rows } = await env.admin.query(
      'select recipient_index from webhook_delivery.deliveries where notification_id = $1',
      [lateFact.notification_id],
    )
    expect(rows).toEqual([{ recipient_index: indexUnder(newKeys(), late) }])
  })

  const named = ['erase-recipient', '--tenant', env.tenantId, '--recipient', sentTo]
  const wrong = await runCommand(env, 'dispatch-worker', named, oldKeys())
  expect([wrong.status, wrong.output]).toEqual([1, expect.stringContaining(differs)])
  for (const name of ['gateway', 'dispatch-worker'] as const)
    await eventually(async () => {
      const { status, output } = await runCommand(env, name, [...named, '--erase'], newKeys())
      expect([status, output]).toEqual([0, expect.any(String)])
    })
  expect((await activity(env, { recipient: sentTo })).body.items).toEqual([])
  const ownIndexes = [oldKeys(), newKeys()].map((list) => indexUnder(list, sentTo))
  const texts = (await storedMessages(bus)).map(({ text }) => text)
  expect(texts.filter((text) => ownIndexes.some((index) => text.includes(index)))).toEqual([])
  await untilState(env, sent, { recipient_masked: 'erased' })
  await untilState(env, again, { recipient_masked: 'erased' })
})

async function codeSentTo(phone: string): Promise<string> {
  const [message] = await env.messages({ to: phone })
  return /\d{6}/.exec(message!.text)![0]
}

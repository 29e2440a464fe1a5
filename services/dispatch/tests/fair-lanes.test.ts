import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { type Application, addTenant, otherAccountEnv } from '@notify/test-kit/callers'
import { changeProviders, refuses, type StubCarrier, startStubCarrier, takes } from '@notify/test-kit/carriers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

/** Messages of one tenant that cannot go out, or not soon. */
const backlog = 2000
/** More than a busy machine usually delays a message, and less than a lane needs for the backlog. */
const usualMs = 5000

let carrier: StubCarrier
let env: TestEnv
let neighbour: Application
const arrivals = new Map<string, number>()
let answerCampaign: (response: ServerResponse) => void = takes
beforeAll(async () => {
  carrier = await startStubCarrier()
  carrier.answer = (response, form) => {
    const to = form.get('To')!
    arrivals.set(to, performance.now())
    if (isOfCampaign(to)) answerCampaign(response)
    else takes(response)
  }
  env = await TestEnv.start(['gateway', 'dispatch'], {
    apart: ['dispatch-api', 'dispatch-worker'],
    env: { all: otherAccountEnv, 'dispatch-worker': { TWILIO_API_URL: carrier.url } },
  })
  neighbour = await addTenant(env)
})
afterAll(async () => {
  await env?.stop()
  await carrier?.stop()
})
afterEach(async () => {
  answerCampaign = takes
  await env.sql('dispatch').query(`update notifications set status = 'cancelled' where status = 'queued'`)
})

type Priority = 'transactional' | 'bulk'

async function sendCampaign(priority: Priority): Promise<void> {
  const requests = () => Array.from({ length: 100 }, () => smsTo(freshPhone('7777'), { priority }))
  for (let sent = 0; sent < backlog; sent += 100) {
    const { status } = await postUntilTaken(env, '/api/v1/notifications/batch', { requests: requests() })
    expect(status).toBe(202)
  }
}

const isOfCampaign = (to: string) => to.endsWith('7777')

/** How long a message of the neighbour took from its acceptance, and how many of the campaign arrived meanwhile. */
interface Passage {
  tookMs: number
  others: number
}

/** Sends messages of the neighbour, one after the other. */
async function sendNeighbours(priority: Priority): Promise<Passage[]> {
  const passages: Passage[] = []
  for (let n = 0; n < 10; n++) {
    const phone = freshPhone()
    const body = smsTo(phone, { priority })
    const { status } = await env.api('POST', '/api/v1/notifications', { token: neighbour.apiKey, body })
    expect(status).toBe(202)
    const acceptedMs = performance.now()
    await eventually(() => expect(arrivals.has(phone)).toBe(true))
    const arrivedMs = arrivals.get(phone)!
    const others = [...arrivals].filter(([to, ms]) => isOfCampaign(to) && ms > acceptedMs && ms < arrivedMs)
    passages.push({ tookMs: arrivedMs - acceptedMs, others: others.length })
  }
  return passages
}

/** Sends messages of the neighbour, and expects that they do not wait behind the backlog. */
async function expectToPass(priority: Priority): Promise<void> {
  const times = (await sendNeighbours(priority)).map(({ tookMs }) => tookMs)
  expect(times.sort((a, b) => a - b)[6]).toBeLessThan(usualMs)
}

async function countQueued(): Promise<number> {
  const { rows } = await env
    .sql('dispatch')
    .query(`select count(*)::int as count from notifications where status = 'queued' and tenant_id = $1`, [
      env.tenantId,
    ])
  return rows[0].count
}

test.each<[string, (response: ServerResponse) => void]>([
  ['refuses the account', refuses(401, 20003, 'Authenticate')],
  ['does not answer', () => {}],
])('while a carrier %s, the messages of another tenant pass its backlog', async (_, answer) => {
  answerCampaign = answer
  await sendCampaign('transactional')
  await expectToPass('transactional')
  expect(await countQueued()).toBeGreaterThan(backlog / 4)
})

test('while a carrier takes a campaign, the messages of another tenant pass its backlog', async () => {
  // The lane would send the first of them while a busy machine still accepts the last.
  await env.kill('dispatch-worker', 'SIGSTOP')
  await sendCampaign('bulk').finally(() => env.kill('dispatch-worker', 'SIGCONT'))
  // Fewer than the lane sends in a second, whatever the time that it takes.
  for (const { others } of await sendNeighbours('bulk')) expect(others).toBeLessThan(backlog / 8)
})

test('messages of a held account wait untouched, and all go out once the account works again', async () => {
  answerCampaign = refuses(401, 20003, 'Authenticate')
  await sendCampaign('transactional')
  await eventually(async () => {
    expect((await env.sql('dispatch').query('select from held_queues')).rowCount).toBe(1)
  })
  const touched = async () =>
    (await env.sql('dispatch').query('select sum(attempt_count)::int as sum from notifications')).rows[0].sum
  const before = await touched()
  await expectToPass('transactional')
  expect((await touched()) - before).toBeLessThan(60)
  answerCampaign = takes
  await eventually(async () => expect(await countQueued()).toBe(0), { timeoutMs: 180_000 })
})

test('while an account is used up to its rate, the messages of another tenant pass its backlog', async () => {
  await changeProviders(env, (providers) => providers.map((one) => ({ ...one, rate_limit_per_second: 2 })))
  await sendCampaign('transactional')
  await expectToPass('transactional')
  expect(await countQueued()).toBeGreaterThan(backlog / 2)
  // What waits for its account costs no claims: only those that may begin are opened.
  const { rows } = await env
    .sql('dispatch')
    .query('select count(*)::int as count from attempts where finished_at is null')
  expect(rows[0].count).toBeLessThan(20)
})

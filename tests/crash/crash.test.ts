import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { attemptsAgreeIn } from '@notify/test-kit/database'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: 'all',
    env: {
      all: { LOG_LEVEL: 'warn' },
      'dispatch-worker': {
        CARRIER_TIMEOUT: '2s',
        UNKNOWN_GRACE: '1s',
        SEND_RETRY_DELAYS: '500ms,1s,2s,4s',
        STALLED_AFTER: '4s',
      },
    },
  })
})

afterAll(() => env.stop())
afterEach(() => attemptsAgreeIn(env))

test('whatever is killed under load, every 202 ends in one final state, and a message sent twice has an ambiguous attempt', async () => {
  const load = startLoad()
  for (const victims of [['dispatch-api', 'dispatch-worker'], ['gateway'], ['nats']] as const) {
    const before = load.accepted.length
    await eventually(() => expect(load.accepted.length).toBeGreaterThan(before + 150))
    await Promise.all(victims.map((process) => env.kill(process)))
    await Promise.all(victims.map((process) => env.restart(process)))
    await countersAgree()
  }
  const before = load.accepted.length
  await eventually(() => expect(load.accepted.length).toBeGreaterThan(before + 50))
  await load.stop()

  expect(new Set(load.accepted).size).toBe(load.accepted.length)
  await eventually(async () => expect(await unfinished()).toEqual([]), { timeoutMs: 90_000, intervalMs: 250 })
  await everyAcceptedIsFinalOnce(load.accepted)
  await everyAcceptedWasSent(load.accepted)
  await activityShowsThemAll(load.accepted)
  await countersAgree()
})

test('a message with files whose processes are killed between its commit and its call arrives with its bytes', async () => {
  // Nothing is called until it is started again.
  await env.kill('dispatch-worker')
  const content = Buffer.from('%PDF-1.4\n'.padEnd(300_000, 'x'))
  const attachments = [
    { filename: 'a.pdf', content_type: 'application/pdf', content: content.toString('base64') },
    { filename: 'b.txt', content_type: 'text/plain', content: Buffer.from('b').toString('base64') },
  ]
  const recipients = [1, 2, 3].map((nth) => `files${nth}@mailbox.example`)
  const answers = await Promise.all(
    recipients.map((recipient) => {
      const body = { channel: 'email', recipient, subject: 'Files', body: 'Two files', attachments }
      return postUntilTaken(env, '/api/v1/notifications', body)
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  await env.kill('dispatch-api')
  await Promise.all((['dispatch-api', 'dispatch-worker'] as const).map((process) => env.restart(process)))
  for (const [at, { body }] of answers.entries()) {
    const attempts = await eventually(
      async () => {
        const state = await env.api('GET', `/api/v1/notifications/${body.notification_id}`)
        expect(state.body).toMatchObject({ delivery_status: 'delivered' })
        return state.body.attempts as { ambiguous: boolean }[]
      },
      { timeoutMs: 60_000 },
    )
    const messages = await env.messages({ to: recipients[at]! })
    // On a busy machine a call may end without its answer, and is repeated then.
    const repeated = attempts.filter(({ ambiguous }) => ambiguous).length
    expect(messages.length).toBeGreaterThan(0)
    expect(messages.length - 1).toBeLessThanOrEqual(repeated)
    for (const { attachments: arrived } of messages)
      expect(arrived).toMatchObject([
        { filename: 'a.pdf', size: content.length, sha256: createHash('sha256').update(content).digest('hex') },
        { filename: 'b.txt', size: 1 },
      ])
  }
})

/** The counters that triggers keep, with what they count, in one snapshot: also in the middle of the load. */
async function countersAgree(): Promise<void> {
  const { rows } = await env.sql('dispatch').query(
    `select sum(accepted)::int as accepted, sum(settled)::int as settled, sum(queued)::int as queued,
       (select count(*)::int from notifications) as "all",
       (select count(*)::int from notifications where settled) as ended,
       (select count(*)::int from notifications where status = 'queued') as waiting
     from tallies`,
  )
  const [{ accepted, settled, queued, all, ended, waiting }] = rows
  expect({ accepted, settled, queued }).toEqual({ accepted: all, settled: ended, queued: waiting })
}

/** Sends from several callers until stopped; records those answered 202. */
function startLoad(): { accepted: string[]; stop(): Promise<void> } {
  const accepted: string[] = []
  let stopped = false
  const caller = async (index: number) => {
    for (let n = 0; !stopped; n++) {
      const phone = `+1555${String(index).padStart(2, '0')}${String(n).padStart(4, '0')}1`
      const body = { channel: 'sms', recipient: phone, body: `load ${index}-${n}` }
      const response: ApiResponse | undefined = await env
        .api('POST', '/api/v1/notifications', { body })
        .catch(() => undefined)
      if (response?.status === 202) accepted.push(response.body.notification_id)
    }
  }
  const callers = Array.from({ length: 8 }, (_, index) => caller(index))
  return {
    accepted,
    async stop() {
      stopped = true
      await Promise.all(callers)
    },
  }
}

async function unfinished(): Promise<unknown[]> {
  const { rows } = await env
    .sql('dispatch')
    .query(`select id, status from notifications where status not in ('delivered', 'undelivered', 'failed') limit 5`)
  return rows
}

async function everyAcceptedIsFinalOnce(accepted: readonly string[]): Promise<void> {
  const { rows } = await env
    .sql('dispatch')
    .query('select count(*)::int as count from notifications where id = any($1)', [accepted])
  expect(rows[0].count).toBe(accepted.length)
}

interface Attempted {
  notification_id: string
  ambiguous: number
}

/** The carrier received each at least once, and repetitions only after an unknown outcome. */
async function everyAcceptedWasSent(accepted: readonly string[]): Promise<void> {
  const sends = new Map<string, number>()
  for (const { request } of await env.messages({ limit: '10000' })) {
    const callback = new URL((request.body as { StatusCallback: string }).StatusCallback)
    const id = callback.searchParams.get('notification_id') ?? ''
    sends.set(id, (sends.get(id) ?? 0) + 1)
  }
  expect(accepted.filter((id) => !sends.has(id))).toEqual([])
  const { rows } = await env
    .sql('dispatch')
    .query<Attempted>(
      `select notification_id, count(*) filter (where ambiguous)::int as ambiguous from attempts group by notification_id`,
    )
  const ambiguous = new Map(rows.map((row) => [row.notification_id, row.ambiguous]))
  const unexplained = [...sends].filter(([id, count]) => count - 1 > (ambiguous.get(id) ?? 0))
  expect(unexplained).toEqual([])
}

async function activityShowsThemAll(accepted: readonly string[]): Promise<void> {
  await eventually(async () => {
    const { rows } = await env
      .sql('gateway')
      .query(
        `select count(*)::int as count from activity where id = any($1) and status in ('delivered', 'undelivered', 'failed')`,
        [accepted],
      )
    expect(rows[0].count).toBe(accepted.length)
  })
}

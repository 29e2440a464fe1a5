import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { createBlindIndex, parseIndexKeys, parseKeyRing } from '@notify/privacy'
import { itemOf, storeItems } from '@notify/test-kit/activity'
import { expectProblem } from '@notify/test-kit/api'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { createTestKit } from '@notify/test-kit/kit'
import { freshPhone, send, sendUntilTaken } from '@notify/test-kit/sms'
import { exportTenant } from '../src/moving/move-tenant.ts'

const path = '/api/v1/activity/retries'

let env: TestEnv
/** Messages that the carrier reports as undelivered, every time. */
let ids: string[]

/** A second's worth of a job is four items, so that a job of twelve can be met half-way. */
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['gateway'],
    env: { gateway: { ACTIVITY_RETRY_RATE: '4', RETRY_JOBS_PER_TENANT: '3' } },
  })
  ids = await Promise.all(Array.from({ length: 12 }, () => sendUntilTaken(env, freshPhone('0002'))))
  await send(env, freshPhone('0003'))
  await untilFailed()
})
afterAll(() => env?.stop())

const post = (at: string, body?: object, request: object = {}) =>
  env.api('POST', at, { token: env.operatorToken, ...(body ? { body } : {}), ...request })
const get = async (at: string) => (await env.api('GET', at, { token: env.operatorToken })).body
const list = (query: string) => get(`/api/v1/activity?limit=100&${query}`)

/** Until each retry has failed, in the activity too, which shows the state before the retry for a while. */
async function untilFailed(): Promise<void> {
  await eventually(async () => {
    const failed = `select id, retry_count from notifications where id = any ($1) and status = 'undelivered'`
    const { rows } = await env.sql('dispatch').query(failed, [ids])
    expect(rows).toHaveLength(12)
    const shown = await list('status=undelivered')
    const counts = new Map(shown.items.map((item: Item) => [item.transaction_id, item.retry_count]))
    expect(rows.map(({ id }) => counts.get(id))).toEqual(rows.map(({ retry_count }) => retry_count))
    expect(shown.total_count).toBe(12)
  })
}

interface Item {
  transaction_id: string
  retry_count: number
}

/** How often each message was retried, as dispatch has it. */
async function retryCounts(): Promise<number[]> {
  const { rows } = await env.sql('dispatch').query('select retry_count from notifications where id = any ($1)', [ids])
  return rows.map(({ retry_count }) => retry_count)
}

const untilEnded = (id: string, expected: object) =>
  eventually(async () => expect(await get(`${path}/jobs/${id}`)).toMatchObject(expected))

test('a dry run counts what may be retried, and retries nothing', async () => {
  const answer = await post(path, { channel: 'sms', dry_run: true })
  expect([answer.status, answer.body]).toEqual([200, { count: 12, count_capped: false }])
  expect((await post(path, { status: 'failed', dry_run: true })).body.count).toBe(0)
  expect(await get(path)).toEqual({ items: [], next_cursor: null })
  expect(new Set(await retryCounts())).toEqual(new Set([0]))
})

test('a job retries each item once, though the gateway is killed in the middle of it', async () => {
  const { status, body: job } = await post(path, { status: 'undelivered', channel: 'sms' })
  expect([status, job]).toEqual([
    202,
    {
      retry_id: expect.stringMatching(/^retry_/),
      status: 'running',
      filters: { status: 'undelivered', channel: 'sms' },
      ...{ count: 12, count_capped: false, processed: 0, retried: 0, skipped: 0 },
      requested_by: expect.any(String),
      created_at: expect.any(String),
      finished_at: null,
    },
  ])
  await eventually(async () => expect((await get(`${path}/jobs/${job.retry_id}`)).processed).toBeGreaterThan(0))
  await env.kill('gateway')
  // What the dead worker had claimed is due again when its lease is over.
  await env.admin.query('update gateway.retry_jobs set next_at = now() where next_at is not null')
  await env.restart('gateway')
  await untilEnded(job.retry_id, { status: 'completed', processed: 12, retried: 12, skipped: 0 })
  expect(await retryCounts()).toEqual(Array(12).fill(1))
  expect((await get('/api/v1/audit-log?action=activity.retried')).items).toEqual([])
  await untilFailed()
})

test('a page whose worker died before it was counted is repeated without retrying anything twice', async () => {
  const jobId = newId('retry')
  // The worker had retried the page; nobody has counted it.
  const page = ids.slice(0, 3)
  await env.admin.query(
    `insert into gateway.retry_jobs (id, tenant_id, requested_by, filters, count, count_capped, page, next_at)
     values ($1, $2, 'op_1', '{"status":"undelivered"}', 12, false, $3, now())`,
    [jobId, env.tenantId, page],
  )
  const openPage = `select page from gateway.retry_jobs where id = $1`
  await eventually(async () => expect((await env.admin.query(openPage, [jobId])).rows[0].page).not.toEqual(page))
  const before = await env
    .sql('dispatch')
    .query('select id, retry_count from notifications where id = any ($1)', [page])
  expect(before.rows.map(({ retry_count }) => retry_count)).toEqual([2, 2, 2])
  await eventually(async () => expect((await get(`${path}/jobs/${jobId}`)).status).toBe('completed'))
  await env.admin.query(
    'update gateway.retry_jobs set page = $2, next_at = now(), finished_at = null, cancelled = false where id = $1',
    [jobId, page],
  )
  await eventually(async () => expect((await get(`${path}/jobs/${jobId}`)).finished_at).not.toBeNull())
  expect(Math.max(...(await retryCounts()))).toBe(2)
  await untilFailed()
})

test('the jobs of a tenant end when it leaves the cell, also one of a request in progress', async () => {
  const [jobId, lateId] = [newId('retry'), newId('retry')]
  const newJob = (id: string) =>
    `insert into gateway.retry_jobs (id, tenant_id, requested_by, filters, count, count_capped, next_at)
     values ('${id}', '${env.tenantId}', 'op_1', '{"status":"failed"}', 1, false, now() + interval '1 hour')`
  await env.admin.query(newJob(jobId))
  await exported()
  expect(await get(`${path}/jobs/${jobId}`)).toMatchObject({ finished_at: null })
  await env.admin.query(`
    create function gateway.late_job() returns trigger language plpgsql as $$ begin ${newJob(lateId)}; return null; end $$;
    create trigger late_job after update on gateway.tenants
      for each row when (new.moved_to is not null) execute function gateway.late_job()`)
  await exported('--to', 'b')
  await env.admin.query('drop function gateway.late_job cascade')
  await env.admin.query('update gateway.tenants set moved_to = null, moved_at = null where id = $1', [env.tenantId])
  for (const id of [jobId, lateId]) await untilEnded(id, { status: 'cancelled', finished_at: expect.any(String) })
})

/** Runs the command in this process. */
async function exported(...args: string[]): Promise<void> {
  const kit = createTestKit('gateway')
  const config = { DATABASE_URL: env.stack.databaseUrl('gateway'), TRANSPORT_KEY: randomBytes(32).toString('base64') }
  const keys = {
    BLIND_INDEX_KEY: parseIndexKeys(env.stack.state.blind_index_key),
    ENCRYPTION_KEYS: parseKeyRing(env.stack.state.encryption_keys),
  }
  const ends = { print: () => {}, tell: () => {} }
  const named = ['--tenant', env.tenantId, ...args]
  await exportTenant({ ...config, ...keys }, kit, named, ends).finally(() => kit.stop())
}

test('a cancelled job ends; another of the tenant waits until then', async () => {
  // 25 seconds' worth of items that dispatch refuses.
  const lost = { application_id: newId('app'), status: 'failed', retryable: true }
  await storeItems(
    env,
    Array.from({ length: 100 }, () => itemOf(env, lost)),
  )
  const first = (await post(path, { application_id: lost.application_id })).body
  const second = (await post(path, { status: 'undelivered', mode: 'test' })).body
  expect(second).toMatchObject({ status: 'waiting', count: 0 })
  const cancelled = await post(`${path}/jobs/${first.retry_id}/cancel`)
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled'])
  await untilEnded(second.retry_id, { status: 'completed', processed: 0 })
  expectProblem(await post(`${path}/jobs/${first.retry_id}/cancel`), 409, 'not_cancellable')
  expectProblem(await post(`${path}/jobs/${second.retry_id}/cancel`), 409, 'not_cancellable')
  const { items } = await get(path)
  expect(items.slice(0, 2).map(({ retry_id }: { retry_id: string }) => retry_id)).toEqual([
    second.retry_id,
    first.retry_id,
  ])
  expect((await get(`${path}/jobs/${first.retry_id}`)).processed).toBeLessThan(100)
})

test('items that dispatch has deleted are skipped, and the next job does not count them', async () => {
  const lost = { application_id: newId('app'), status: 'failed', retryable: true }
  await storeItems(env, [itemOf(env, lost), itemOf(env, lost)])
  const { body: job } = await post(path, { application_id: lost.application_id })
  expect(job.count).toBe(2)
  await untilEnded(job.retry_id, { status: 'completed', processed: 2, retried: 0, skipped: 2 })
  expect((await post(path, { application_id: lost.application_id, dry_run: true })).body.count).toBe(0)
})

test('the audit log names the operators who made and cancelled a job, and no recipient', async () => {
  const recipient = '+15550001234'
  const indexOf = createBlindIndex(Buffer.from(env.stack.state.blind_index_key, 'base64'))
  const { body: job } = await post(path, { recipient })
  expect(job.filters).toEqual({ recipient_masked: '+15*****1234' })
  const { rows } = await env.admin.query('select * from gateway.audit_log where resource_id = $1', [job.retry_id])
  expect(rows).toEqual([
    expect.objectContaining({ action: 'activity_retry.created', actor_id: job.requested_by, tenant_id: env.tenantId }),
  ])
  const stored = await env.admin.query('select filters from gateway.retry_jobs where id = $1', [job.retry_id])
  expect(stored.rows[0].filters.recipient_index).toBe(indexOf(env.tenantId, recipient))
  for (const text of [JSON.stringify(rows), JSON.stringify(stored.rows), JSON.stringify(job)]) {
    expect(text).not.toContain(recipient.slice(1))
  }
})

test.each(['ada', 'ab🎉party-user', '15550001234'])('a job shows nothing of the user id %s', async (recipient) => {
  const { status, body } = await post(path, { recipient })
  expect([status, body.filters]).toEqual([202, { recipient_masked: expect.stringMatching(/^\*\*\* \w+$/) }])
  await untilEnded(body.retry_id, { status: 'completed' })
})

test("a job needs a filter, the permission, and is its tenant's alone", async () => {
  for (const [body, at] of [
    [{}, 'status'],
    [{ dry_run: true }, 'status'],
    [{ status: 'lost' }, 'status'],
    [{ from: '2026-11-22' }, 'from'],
    [{ from: '2026-11-22T00:00:00Z', to: '2026-11-21T00:00:00Z' }, 'to'],
    [{ limit: 5 }, 'limit'],
    [{ recipient: 5 }, 'recipient'],
  ] as [object, string][]) {
    const answer = await post(path, body)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(at)
  }
  const body = { status: 'failed' }
  expectProblem(await post(path, body, { token: env.operatorTokenNoRetry }), 403, 'permission_denied')
  const [{ retry_id }] = (await get(path)).items
  const stranger = operatorToken(env, { tenant_id: await addEmptyTenant(env) })
  for (const at of [`${path}/jobs/${retry_id}/cancel`, `${path}/jobs/${newId('retry')}/cancel`]) {
    expectProblem(await post(at, undefined, { token: stranger }), 404, 'not_found')
  }
  expectProblem(await env.api('GET', `${path}/jobs/${retry_id}`, { token: stranger }), 404, 'not_found')
  expect((await env.api('GET', path, { token: stranger })).body.items).toEqual([])
})

test("a tenant's jobs have a limit, and its long job does not delay a neighbour's", async () => {
  const tenantId = await addEmptyTenant(env)
  // A hundred seconds' worth of items that dispatch refuses.
  const failed = { tenant_id: tenantId, application_id: newId('app'), status: 'failed', retryable: true }
  await storeItems(
    env,
    Array.from({ length: 400 }, () => itemOf(env, failed)),
  )
  const token = operatorToken(env, { tenant_id: tenantId })
  const ask = () => post(path, { status: 'failed' }, { token })
  const answers = await Promise.all(Array.from({ length: 8 }, ask))
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 409, 409, 409, 409, 409])
  const refused = answers.find(({ status }) => status === 409)!
  expectProblem(refused, 409, 'retry_job_limit_reached')
  expect(refused.body.detail).toContain('at most 3 unfinished retry jobs of a tenant')
  const { items } = (await env.api('GET', path, { token })).body
  const long = items.find(({ status }: { status: string }) => status === 'running')
  const neighbours = (await post(path, { application_id: newId('app') })).body
  await untilEnded(neighbours.retry_id, { status: 'completed' })
  const at = `${path}/jobs/${long.retry_id}`
  expect((await env.api('GET', at, { token })).body).toMatchObject({ status: 'running', count: 400 })
  // A dry run makes no job; a job that is cancelled makes room for another.
  expect((await post(path, { status: 'failed', dry_run: true }, { token })).status).toBe(200)
  expect((await post(`${at}/cancel`, undefined, { token })).status).toBe(200)
  expect((await ask()).status).toBe(202)
})

test('a repetition under an Idempotency-Key makes no second job', async () => {
  const headers = { 'idempotency-key': 'job-1' }
  const body = { status: 'failed', from: '2026-11-01T00:00:00Z' }
  const [first, again] = [await post(path, body, { headers }), await post(path, body, { headers })]
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  const other = await post(path, { ...body, from: '2026-11-02T00:00:00Z' }, { headers })
  expectProblem(other, 409, 'idempotency_conflict')
})

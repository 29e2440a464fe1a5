import { expect } from '@jest/globals'
import { type ApiRequest, type ApiResponse, eventually, patienceMs, type TestEnv } from '@notify/dev-env'

export function post(env: TestEnv, body: unknown, request: ApiRequest = {}): Promise<ApiResponse> {
  return env.api('POST', '/api/v1/notifications', { body, ...request })
}

const expectAvailable = ({ status, text }: ApiResponse): void =>
  expect([status, text]).not.toEqual([503, expect.any(String)])

/** Repeats a call while a service takes longer than its caller waits (503); not one that fails without an answer. */
export async function untilAvailable(call: () => Promise<ApiResponse>, timeoutMs = patienceMs): Promise<ApiResponse> {
  const called = await eventually(
    async () => {
      const [one] = await Promise.allSettled([call()])
      if (one.status === 'fulfilled') expectAvailable(one.value)
      return one
    },
    { timeoutMs },
  )
  if (called.status === 'rejected') throw called.reason
  return called.value
}

/** Repeats a request under one idempotency key while a service takes longer than its caller waits (503). */
export function postUntilTaken(
  env: TestEnv,
  path: string,
  body: unknown,
  request: ApiRequest = {},
): Promise<ApiResponse> {
  const headers = { 'idempotency-key': crypto.randomUUID(), ...request.headers }
  return eventually(async () => {
    const answer = await env.api('POST', path, { body, ...request, headers })
    expectAvailable(answer)
    return answer
  })
}

/** A request of the operator. It is repeated, a POST under one key, while a service takes longer than its caller waits (503). */
export function asOperator(env: TestEnv, method: string, path: string, request: ApiRequest = {}): Promise<ApiResponse> {
  const headers = { ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }), ...request.headers }
  return untilAvailable(() => env.api(method, path, { token: env.operatorToken, ...request, headers }))
}

/** The notification as its application sees it, with its attempts. */
export async function stateOf(env: TestEnv, id: string) {
  return (await env.api('GET', `/api/v1/notifications/${id}`)).body
}

/** Waits until the notification looks like this, and gives it. Otherwise the error tells what is known of it. */
export async function untilState(env: TestEnv, id: string, expected: object, timeoutMs = patienceMs) {
  try {
    return await eventually(
      async () => {
        const state = await stateOf(env, id)
        expect(state).toMatchObject(expected)
        return state
      },
      { timeoutMs },
    )
  } catch (error) {
    if (error instanceof Error) error.message += `\n\n${await whatIsKnown(env, id)}`
    throw error
  }
}

/** Lets the time of scheduled notifications come, so that no test depends on how long its steps take. */
export async function becomeDue(env: TestEnv, ...ids: readonly string[]): Promise<void> {
  await env.admin.query(
    `update dispatch.notifications set send_at = now(), next_attempt_at = now() where id = any ($1) and status = 'scheduled'`,
    [ids],
  )
}

/** A time at which nothing becomes due during a test. */
export const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString()

async function whatIsKnown(env: TestEnv, id: string): Promise<string> {
  const { rows } = await env.admin.query(
    `select status, sending, attempt_count, next_attempt_at, held_since, now() as at,
       (select count(*)::int from dispatch.outbox where published_at is null) as unpublished,
       (select json_agg(a) from dispatch.attempts a where notification_id = n.id) as attempts
     from dispatch.notifications n where id = $1`,
    [id],
  )
  const warnings = new Set(
    (Object.keys(env.urls) as (keyof typeof env.urls)[]).flatMap((process) =>
      env
        .logs(process, 5000)
        .split('\n')
        .filter((line) => /"level":[456]0/.test(line)),
    ),
  )
  return [JSON.stringify(rows), ...[...warnings].slice(-20)].join('\n')
}

/** Expects RFC 9457 problem details with the code at top level, and the id of the request. */
export function expectProblem({ status, headers, body }: ApiResponse, expectedStatus: number, code: string): void {
  expect([status, body.code]).toEqual([expectedStatus, code])
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) })
  expect(body.type).toMatch(new RegExp(`^https?://.+/docs/errors/${code}$`))
  expect(body.request_id).toBe(headers.get('x-request-id'))
  expect(body.request_id).toBeTruthy()
}

const effects = [
  'dispatch.notifications',
  'dispatch.attempts',
  'dispatch.idempotency_keys',
  'dispatch.outbox',
  'callbacks.received_callbacks',
  'callbacks.outbox',
]

/** How many rows there are in each table that a request may add to. */
export async function storedRows(env: TestEnv): Promise<Record<string, number>> {
  const { rows } = await env.admin.query(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [effects],
  )
  const counts = rows.map(({ name: table }) => `(select count(*)::int from ${table}) as "${table}"`)
  return (await env.admin.query(`select ${counts.join(', ')}`)).rows[0]
}

/** How many rows an acceptance has added: earlier messages that are still under way change none of them. */
export async function acceptedRows(env: TestEnv): Promise<object> {
  const { rows } = await env.admin.query(`select (select count(*)::int from dispatch.notifications) as notifications,
    (select count(*)::int from dispatch.idempotency_keys) as keys`)
  return rows[0]
}

/** What requests may have done: rows stored, processes that ended or began. Compare it with what it was before. */
export async function effectsIn(env: TestEnv): Promise<object> {
  return { rows: await storedRows(env), pids: env.stack.pids }
}

/** Whether the answer says that its time ran out. It may also be one that a broken connection lost. */
export const isLate = ({ status, body }: ApiResponse): boolean => status === 503 && / in time\b/.test(body.detail)

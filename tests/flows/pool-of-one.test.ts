import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { allRoutes } from '@notify/contracts/catalogue'
import { type ApiResponse, TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { type StandInSns, startSns } from '@notify/test-kit/ses'
import { callRoute, type Samples, samplesOf } from './route-samples/samples.ts'

/** Concurrent callers, more than there are connections. The last one waits for all others, at most 5 s. */
const callersOf = (name: string) => fewer[name] ?? 6
/** Each domain costs a key pair; a tenant may have four exports under way. */
const fewer: Record<string, number> = { createDomain: 3, exportActivity: 4, exportAuditLog: 4 }

let env: TestEnv
let sns: StandInSns
let samples: Samples

beforeAll(async () => {
  sns = await startSns()
  env = await TestEnv.start([...new Set(allRoutes().map(({ service }) => service))], {
    env: {
      all: { DATABASE_POOL_SIZE: '1' },
      gateway: { RETRY_JOBS_PER_TENANT: '1000' },
      'dispatch-api': { TEST_MESSAGES_PER_MINUTE: '1000' },
      callbacks: { SNS_CERTIFICATE_HOSTS: sns.origin },
    },
  })
  samples = samplesOf(env, sns)
})
afterAll(async () => {
  await env?.stop()
  await sns?.stop()
})

/** A caller that waits 5 s for a connection or a locked row is refused with 503. No answer may be 503. */
const allAtOnce = (calls: readonly (() => Promise<ApiResponse>)[]): Promise<ApiResponse[]> =>
  Promise.all(calls.map((call) => call()))

const headersFor = (headers: Headers) => [headers.get('x-content-type-options'), headers.get('cache-control')]

describe.each(allRoutes().map((route) => [route.name, route] as const))('with one connection, %s', (name, route) => {
  const callers = callersOf(name)
  const each = <T>(make: (at: number) => T): T[] => Array.from({ length: callers }, (_, at) => make(at))
  const isCached = route.auth.caller === 'anyone' && !route.path.startsWith('/u/')
  const kept = isCached ? null : expect.stringMatching(/^no-store\b/)
  const success = new Set(Object.keys(route.responses).map(Number))
  const refused = (answers: readonly ApiResponse[]) =>
    answers.filter(({ status }) => !success.has(status)).map(({ status, text }) => `${status} ${text}`)
  const sampleOf = (at: number) => {
    const make = samples[name]
    if (!make) throw new Error(`tests/flows/route-samples has no request for ${name}`)
    return make(at)
  }

  test('answers many concurrent callers, with headers that forbid caching and another media type', async () => {
    const prepared = await Promise.all(each(sampleOf))
    const keyed = route.method === 'POST'
    const answers = await allAtOnce(
      prepared.map(
        (sample, at) => () =>
          callRoute(env, route, sample, keyed ? { headers: { 'idempotency-key': `${name}-${at}` } } : {}),
      ),
    )
    expect(refused(answers)).toEqual([])
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toMatch(
      /"status":5\d\d|internal_error|service_unavailable/,
    )
    for (const { headers } of answers) expect(headersFor(headers)).toEqual(['nosniff', kept])
  })

  const isKeyed =
    route.method === 'POST' && ['key', 'operator', 'key or operator', 'any principal'].includes(route.auth.caller)
  if (!isKeyed) return

  test('has its effect once for many callers with one Idempotency-Key, and gives all of them its answer', async () => {
    const sample = await sampleOf(0)
    const twin = () => callRoute(env, route, sample, { headers: { 'idempotency-key': `${name}-twins` } })
    const answers = await allAtOnce(each(() => twin))
    expect(refused(answers)).toEqual([])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(callers - 1)
  })

  test('answers a repetition under its Idempotency-Key as before', async () => {
    const sample = await sampleOf(0)
    const headers = { 'idempotency-key': `${name}-again` }
    const first = await callRoute(env, route, sample, { headers })
    const again = await callRoute(env, route, sample, { headers })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  })
})

test('requested no second connection in a transaction', () => {
  for (const name of env.stack.children.keys()) expect(env.logs(name, 100_000)).not.toContain('second connection')
})

test('connections and refusals are counted', async () => {
  expectProblem(await env.api('GET', '/api/v1/notifications/nobody'), 404, 'not_found')
  const [gateway, dispatch] = await Promise.all(
    (['gateway', 'dispatch-api'] as const).map(async (name) => (await fetch(env.stack.metricsUrls[name]!)).text()),
  )
  expect(gateway).toMatch(/^http_server_problems_total\{code="not_found"\} [1-9]/m)
  expect(dispatch).toMatch(/^database_connections_in_use 0$/m)
  expect(dispatch).toMatch(/^database_connections_awaited 0$/m)
})

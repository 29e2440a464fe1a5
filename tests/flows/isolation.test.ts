import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { KeyPermission, newId, OperatorPermission, permissionsFor, type Route } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { type ApiRequest, type ApiResponse, TestEnv } from '@notify/dev-env'
import { untilAvailable } from '@notify/test-kit/api'
import { addKey, operatorToken } from '@notify/test-kit/callers'
import { freshUser, userToken } from '@notify/test-kit/inbox'
import { type StandInSns, startSns } from '@notify/test-kit/ses'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { exampleBody, type Sample } from './route-samples/sample.ts'
import { callWhenAvailable, type Samples, samplesOf } from './route-samples/samples.ts'
import { unlikeExample } from './unlike-example.ts'
import { recordWork, type WorkRecord } from './work-record.ts'

let env: TestEnv
let sns: StandInSns
let samples: Samples
let work: WorkRecord
/** A second tenant: its key and its operator may do everything. */
let other: { key: ApiRequest; operator: ApiRequest; user: ApiRequest }

beforeAll(async () => {
  sns = await startSns()
  work = await recordWork()
  Object.assign(work.env.callbacks!, { SNS_CERTIFICATE_HOSTS: sns.origin })
  env = await TestEnv.start(undefined, { env: work.env, onStack: work.onStack })
  samples = samplesOf(env, sns)
  const [tenantId, applicationId] = [newId('ten'), newId('app')]
  await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Other')`, [tenantId])
  await env.admin.query(`insert into gateway.applications (id, tenant_id, name) values ($1, $2, 'Other Shop')`, [
    applicationId,
    tenantId,
  ])
  const { apiKey } = await addKey(env, { tenantId, applicationId }, { permissions: [...KeyPermission.options] })
  const token = operatorToken(env, { tenant_id: tenantId, permissions: [...OperatorPermission.options] })
  const { body } = await env.api('POST', '/api/v1/in-app/tokens', { key: apiKey, body: { user_id: freshUser() } })
  other = { key: { key: apiKey }, operator: { token }, user: { token: body.token } }
})
afterAll(async () => {
  await env?.stop()
  await sns?.stop()
  await work?.stop()
})

const callersOf = ({ auth }: Route): ApiRequest[] => {
  if (auth.caller === 'user') return [other.user]
  const { key, operator } = permissionsFor(auth) ?? {}
  return [...(key === undefined ? [] : [other.key]), ...(operator === undefined ? [] : [other.operator])]
}

function callAs(
  caller: ApiRequest,
  route: Route,
  { params, search = '', fresh, ...sample }: Sample,
): Promise<ApiResponse> {
  const { body = exampleBody(route.name, fresh) } = sample
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => params![name]!) + search
  return untilAvailable(() => env.api(route.method, path, { ...caller, ...(body === undefined ? {} : { body }) }))
}

/** An unused identifier of the same form; a language belongs to nobody. */
function unknownOf(id: string): string {
  if (id === 'de') return id
  const [, prefix] = /^([a-z]+)_/.exec(id) ?? []
  return prefix === undefined ? freshPhone() : newId(prefix as 'app')
}

/** An answer without the parts that differ from request to request. */
const plain = ({ status, headers, text }: ApiResponse, ids: readonly string[]) => ({
  status,
  headers: [...headers.keys()].filter((name) => name !== 'date').sort(),
  text: ids
    .filter((id) => id.length > 8)
    .reduce((rest, id) => rest.replaceAll(id, '<id>'), text)
    .replace(/"request_id":"[^"]*"/, ''),
})

const isFor = (caller: string) =>
  caller === 'user' || ['key', 'operator', 'key or operator', 'any principal'].includes(caller)
const named = (chosen: readonly Route[]) => chosen.map((route) => [`${route.method} ${route.path}`, route] as const)
const routes = publicRoutes().filter(({ auth, path }) => isFor(auth.caller) && !path.endsWith('/stream'))

/** Any tenant may choose the same id of a user: that is another user. */
const takesAnyId = new Set(['putRecipient', 'getUserPreferences', 'changeUserPreferences'])

test('a user with the same id belongs to each tenant apart', async () => {
  const path = `/api/v1/users/${crypto.randomUUID()}`
  const [ours, theirs] = [freshPhone(), freshPhone()]
  await env.api('PUT', path, { body: { phone: ours } })
  expect((await env.api('PUT', path, { ...other.key, body: { phone: theirs } })).body.phone).toBe(theirs)
  expect((await env.api('GET', path)).body.phone).toBe(ours)
  expect((await env.api('DELETE', path, other.key)).status).toBe(204)
  expect((await env.api('GET', path)).body.phone).toBe(ours)
})

describe.each(named(routes.filter(({ name, path }) => path.includes('/:') && !takesAnyId.has(name))))(
  '%s',
  (_name, route) => {
    test("answers another tenant's id like an unknown one, and changes nothing", async () => {
      const sample = await samples[route.name]!(0)
      const ids = Object.values(sample.params!)
      for (const caller of callersOf(route)) {
        // Our own ids, one after the other replaced by an unknown one.
        const foreign = await callAs(caller, route, sample)
        const unknown = Object.fromEntries(Object.entries(sample.params!).map(([name, id]) => [name, unknownOf(id)]))
        const missing = await callAs(caller, route, { ...sample, params: unknown })
        expect([foreign.status, foreign.body.code]).toEqual([404, expect.stringMatching(/not_found$/)])
        expect(unlikeExample(foreign.body)).toEqual([])
        expect(plain(foreign, ids)).toEqual(plain(missing, Object.values(unknown)))
      }
      const own = await callWhenAvailable(env, route, sample)
      expect([own.status, route.responses[own.status] !== undefined]).toEqual([own.status, true])
    })

    test("does the same work for another tenant's id as for an unknown one", async () => {
      for (const caller of callersOf(route)) {
        await work.expectEqual(async () => {
          const sample = await samples[route.name]!(0)
          // A cache that our own use of the id has filled must not reveal it either.
          if (route.method === 'GET') await callWhenAvailable(env, route, sample)
          const ids = Object.entries(sample.params!)
          const unknown = Object.fromEntries(ids.map(([name, id]) => [name, unknownOf(id)]))
          return [
            { ids: Object.values(sample.params!), call: () => callAs(caller, route, sample) },
            { ids: Object.values(unknown), call: () => callAs(caller, route, { ...sample, params: unknown }) },
          ]
        })
      }
    })
  },
)

/** Lists that are not empty for a new tenant. */
const ofEveryTenant = new Set(['listApplications', 'listProviderKinds'])

test.each(named(routes.filter(({ method, path }) => method === 'GET' && !path.includes('/:'))))(
  '%s shows another tenant nothing, and counts nothing',
  async (_name, route) => {
    const { search } = await samples[route.name]!(0)
    for (const caller of callersOf(route)) {
      const { status, body, text } = await callAs(caller, route, search === undefined ? {} : { search })
      expect(status).toBe(200)
      for (const ours of [env.tenantId, env.applicationId, 'Demo']) expect(text).not.toContain(ours)
      const counted = body.total_count ?? body.unread_count ?? body.totals?.messages ?? 0
      if (route.name !== 'listAuditLog') expect(counted).toBe(0)
      if (body.items && !ofEveryTenant.has(route.name)) expect(body.items).toEqual([])
    }
  },
)

describe('an id of another tenant in a body', () => {
  const asKey = (method: string, path: string, body: object) =>
    env.api(method, `/api/v1${path}`, { ...other.key, body })
  const asOperator = (method: string, path: string, body: object) =>
    env.api(method, `/api/v1${path}`, { ...other.operator, body })
  const same = async (call: (id: string) => Promise<ApiResponse>, makeOurs: () => Promise<string>, status: number) => {
    const ours = await makeOurs()
    const [foreign, unknown] = [await call(ours), await call(unknownOf(ours))]
    expect(foreign.status).toBe(status)
    const { request_id: _, ...fields } = foreign.body
    expect(fields).toEqual({ ...unknown.body, request_id: undefined })
    await work.expectEqual(async () => {
      const id = await makeOurs()
      return [id, unknownOf(id)].map((one) => ({ ids: [one], call: () => call(one) }))
    })
  }

  test('is refused as the template of a notification', async () => {
    await same(
      (template_id) => {
        const content = { body: undefined, template_id, template_data: { name: 'a' } }
        return asKey('POST', '/notifications', smsTo(freshPhone(), content))
      },
      async () => (await samples.getTemplate!(0)).params!.template_id!,
      422,
    )
  })

  test('is refused as the transaction of a code', async () => {
    let body!: { transaction_id: string; code: string }
    const makeOurs = async () => {
      body = exampleBody('verifyOtp', (await samples.verifyOtp!(0)).fresh) as typeof body
      return body.transaction_id
    }
    await same((transaction_id) => asKey('POST', '/otp/verify', { ...body, transaction_id }), makeOurs, 404)
    expect((await env.api('POST', '/api/v1/otp/verify', { body })).status).toBe(200)
  })

  test('is refused as the application of a template, a layout or a webhook subscription', async () => {
    const templates = { sms: { body: 'Hello' } }
    const makeOurs = async () => (await samples.getApplication!(0)).params!.application_id!
    await same(
      (application_id) => asOperator('POST', '/templates', { name: 'x', templates, application_id }),
      makeOurs,
      422,
    )
    await same(
      (application_id) => asOperator('POST', '/layouts', { name: 'x', html_body: '{{ content }}', application_id }),
      makeOurs,
      422,
    )
    const subscription = { url: `${env.stack.receiverUrl}/ok`, events: ['notification.failed'] }
    await same(
      (application_id) => asOperator('POST', '/webhook-subscriptions', { ...subscription, application_id }),
      makeOurs,
      422,
    )
  })
})

test("a user's token of another tenant opens that tenant's own inbox", async () => {
  const userId = freshUser()
  const mine = await userToken(env, userId)
  expect((await env.api('GET', '/api/v1/inbox', { token: mine })).status).toBe(200)
  expect((await env.api('GET', '/api/v1/inbox', other.user)).body.notifications).toEqual([])
})

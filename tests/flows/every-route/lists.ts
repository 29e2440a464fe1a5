import { beforeAll, describe, expect, test } from '@jest/globals'
import { KeyPermission, newId, OperatorPermission, permissionsFor, type Route } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { type ApiRequest, type ApiResponse, eventually } from '@notify/dev-env'
import { addEmptyTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import type { z } from 'zod'
import type { Sample } from '../route-samples/sample.ts'
import { callWhenAvailable } from '../route-samples/samples.ts'
import { env, samples } from './stack.ts'

const parametersOf = ({ query }: Route) => Object.keys((query as z.ZodObject | undefined)?.shape ?? {})
const lists = publicRoutes().filter((route) => route.method === 'GET' && parametersOf(route).includes('limit'))
const named = (chosen: readonly Route[]) => chosen.map((route) => [`${route.method} ${route.path}`, route] as const)

/** Values of filters, by name or by list and name. With another filter it is another list, whether rows match or not. */
const filters: Record<string, string> = {
  channel: 'sms',
  application_id: newId('app'),
  unread_only: 'true',
  status: 'exhausted',
  'listEvents status': 'draft',
  action: 'template.created',
  interval: 'month',
  mode: 'test',
  event_key: 'another.event',
}
/** Lists without two rows here; the same function makes their cursors. */
const withoutRows = [
  'listEventVersions',
  'listWhatsAppTemplates',
  'getUsage',
  'listUsageLocales',
  'listUsageMessages',
  'listInbox',
  'listWebhookDeliveries',
]

const withRows = lists.filter(({ name }) => !withoutRows.includes(name))
const filterOf = (route: Route) => parametersOf(route).find((name) => filters[name] !== undefined)
/** Of those with rows: lists without a filter, and lists of a thing that another tenant does not have. */
const withoutFilter = [
  ...['listApplications', 'listDomains', 'listLayoutVersions', 'listLayouts', 'listMembers', 'listOperators'],
  ...['listOptIns', 'listRetryJobs', 'listTemplates', 'listTopics'],
]
const ofThings = [
  ...['listApiKeys', 'listApiRequests', 'listDigests', 'listEvents', 'listLayoutVersions', 'listMembers'],
  ...['listPreferenceChanges', 'listTopics'],
]

/** The sample of each list, which keeps its parameters. */
const own = new Map<string, Sample>()
const cursors = new Map<string, string>()

beforeAll(async () => {
  for (const name of Object.keys(samples).filter((one) => /^(create|add|send)/.test(one))) {
    const route = publicRoutes().find((one) => one.name === name)
    for (const at of [0, 1]) if (route) await callWhenAvailable(env, route, await samples[name]!(at))
  }
  for (const route of lists) own.set(route.name, await samples[route.name]!(0))
  const keys = lists.find(({ name }) => name === 'listApiKeys')!
  const create = publicRoutes().find(({ name }) => name === 'createApiKey')!
  const { params } = own.get(keys.name)!
  for (const name of ['a', 'b']) {
    const answer = await callWhenAvailable(env, create, {
      ...(params ? { params } : {}),
      body: { name, permissions: [] },
    })
    expect(answer.status).toBe(201)
  }
  for (const route of withRows) {
    await eventually(async () => {
      const { body } = await ask(route, 'limit=1')
      expect([route.name, typeof body.next_cursor]).toEqual([route.name, 'string'])
      cursors.set(route.name, body.next_cursor)
    })
  }
})

const ask = (route: Route, query: string) =>
  callWhenAvailable(env, route, own.get(route.name)!, { search: `?${query}` })

function expectRefused({ status, body }: ApiResponse, path: string): void {
  expect([status, body.code, body.errors?.[0]?.path]).toEqual([422, 'validation_failed', path])
}

describe.each(named(lists))('%s', (_name, route) => {
  const most = route.name === 'listMembers' ? 1000 : 100
  test(`takes limits from 1 to ${most}`, async () => {
    for (const limit of ['0', '-1', `${most + 1}`, '1e9', '1.5', 'abc', '', '%31%00']) {
      expectRefused(await ask(route, `limit=${limit}`), 'limit')
    }
    for (const limit of ['1', `${most}`]) expect((await ask(route, `limit=${limit}`)).status).toBe(200)
  })

  test('refuses invalid cursors, and those of other lists', async () => {
    const others = [...cursors].filter(([name]) => name !== route.name).map(([, cursor]) => cursor)
    const none = ['x', 'AQ', 'null', '..', Buffer.from('{"id":1}').toString('base64url'), 'A'.repeat(200)]
    for (const cursor of [...none, ...others]) expectRefused(await ask(route, `cursor=${cursor}`), 'cursor')
    expectRefused(await ask(route, `cursor=${'A'.repeat(201)}`), 'cursor')
  })

  test('refuses unknown and repeated parameters', async () => {
    expectRefused(await ask(route, 'colour=red'), 'colour')
    expectRefused(await ask(route, 'limit=1&limit=2'), 'limit')
  })
})

describe('a cursor', () => {
  test.each(named(withRows))('of %s returns the next page, and is refused when altered', async (_name, route) => {
    const cursor = cursors.get(route.name)!
    expect((await ask(route, `limit=1&cursor=${cursor}`)).status).toBe(200)
    const bytes = Buffer.from(cursor, 'base64url')
    bytes[bytes.length - 2]! ^= 1
    expectRefused(await ask(route, `limit=1&cursor=${bytes.toString('base64url')}`), 'cursor')
  })

  const filtered = withRows.filter(({ name }) => !withoutFilter.includes(name))
  test.each(named(filtered))('of %s is refused with another filter', async (_name, route) => {
    const filter = filterOf(route)!
    const value = filters[`${route.name} ${filter}`] ?? filters[filter]
    expectRefused(await ask(route, `limit=1&cursor=${cursors.get(route.name)}&${filter}=${value}`), 'cursor')
  })

  const ofTenants = withRows.filter(({ name }) => !ofThings.includes(name))
  test.each(named(ofTenants))('of %s is refused for another tenant', async (_name, route) => {
    const tenantId = await addEmptyTenant(env)
    const applicationId = newId('app')
    const values = [applicationId, tenantId]
    await env.admin.query(`insert into gateway.applications (id, tenant_id, name) values ($1, $2, 'Other')`, values)
    const { key } = permissionsFor(route.auth)!
    const caller: ApiRequest = key
      ? { key: (await addKey(env, { tenantId, applicationId }, { permissions: [...KeyPermission.options] })).apiKey }
      : { token: operatorToken(env, { tenant_id: tenantId, permissions: [...OperatorPermission.options] }) }
    expectRefused(await env.api('GET', `${route.path}?limit=1&cursor=${cursors.get(route.name)}`, caller), 'cursor')
  })
})

test('there are lists, and those that a test leaves out are among them', () => {
  expect(lists.length).toBeGreaterThan(10)
  const names = (chosen: readonly Route[]) => chosen.map(({ name }) => name)
  expect(withoutRows.filter((name) => !names(lists).includes(name))).toEqual([])
  expect(names(withRows.filter((route) => filterOf(route) === undefined)).toSorted()).toEqual(withoutFilter)
  expect(names(withRows.filter(({ path }) => path.includes('/:'))).toSorted()).toEqual(ofThings)
})

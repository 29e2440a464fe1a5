import { beforeAll, describe, expect, test } from '@jest/globals'
import { KeyPermission, newId, OperatorPermission, permissionsFor, type Route } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { type ApiRequest, type ApiResponse, eventually } from '@notify/dev-env'
import { addEmptyTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import type { z } from 'zod'
import type { Sample } from '../route-samples/sample.ts'
import { callRoute } from '../route-samples/samples.ts'
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

/** The sample of each list, which keeps its parameters. */
const own = new Map<string, Sample>()
const cursors = new Map<string, string>()

beforeAll(async () => {
  for (const name of Object.keys(samples).filter((one) => /^(create|add|send)/.test(one))) {
    const route = publicRoutes().find((one) => one.name === name)
    for (const at of [0, 1]) if (route) await callRoute(env, route, await samples[name]!(at))
  }
  for (const route of lists) own.set(route.name, await samples[route.name]!(0))
  const keys = lists.find(({ name }) => name === 'listApiKeys')!
  const create = publicRoutes().find(({ name }) => name === 'createApiKey')!
  const { params } = own.get(keys.name)!
  for (const name of ['a', 'b']) {
    const answer = await callRoute(env, create, { ...(params ? { params } : {}), body: { name, permissions: [] } })
    expect(answer.status).toBe(201)
  }
  for (const route of lists.filter(({ name }) => !withoutRows.includes(name))) {
    await eventually(async () => {
      const { body } = await ask(route, 'limit=1')
      expect([route.name, typeof body.next_cursor]).toEqual([route.name, 'string'])
      cursors.set(route.name, body.next_cursor)
    })
  }
})

const ask = (route: Route, query: string) => callRoute(env, route, own.get(route.name)!, { search: `?${query}` })

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

describe.each(named(lists.filter(({ name }) => !withoutRows.includes(name))))('a cursor of %s', (_name, route) => {
  const cursor = () => cursors.get(route.name)!

  test('returns the next page, and is refused when altered', async () => {
    expect((await ask(route, `limit=1&cursor=${cursor()}`)).status).toBe(200)
    const bytes = Buffer.from(cursor(), 'base64url')
    bytes[bytes.length - 2]! ^= 1
    expectRefused(await ask(route, `limit=1&cursor=${bytes.toString('base64url')}`), 'cursor')
  })

  test('is refused with another filter', async () => {
    const filter = parametersOf(route).find((name) => filters[name] !== undefined)
    if (filter === undefined) return
    const value = filters[`${route.name} ${filter}`] ?? filters[filter]
    expectRefused(await ask(route, `limit=1&cursor=${cursor()}&${filter}=${value}`), 'cursor')
  })

  test('is refused for another tenant', async () => {
    if (route.path.includes('/:')) return
    const tenantId = await addEmptyTenant(env)
    const applicationId = newId('app')
    const values = [applicationId, tenantId]
    await env.admin.query(`insert into gateway.applications (id, tenant_id, name) values ($1, $2, 'Other')`, values)
    const { key } = permissionsFor(route.auth)!
    const caller: ApiRequest = key
      ? { key: (await addKey(env, { tenantId, applicationId }, { permissions: [...KeyPermission.options] })).apiKey }
      : { token: operatorToken(env, { tenant_id: tenantId, permissions: [...OperatorPermission.options] }) }
    expectRefused(await env.api('GET', `${route.path}?limit=1&cursor=${cursor()}`, caller), 'cursor')
  })
})

test('there are lists, and those without rows here are among them', () => {
  expect(lists.length).toBeGreaterThan(10)
  const names = lists.map(({ name }) => name)
  expect(withoutRows.filter((name) => !names.includes(name))).toEqual([])
})

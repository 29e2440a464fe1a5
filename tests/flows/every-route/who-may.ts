import { beforeAll, describe, expect, test } from '@jest/globals'
import { KeyPermission, liveOnlyPermissions, OperatorPermission, permissionsFor, type Route } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import type { ApiRequest } from '@notify/dev-env'
import { untilAvailable } from '@notify/test-kit/api'
import { addKey, operatorToken } from '@notify/test-kit/callers'
import { freshUser, userToken } from '@notify/test-kit/inbox'
import { env } from './stack.ts'

const unknownId = '01jd3x8qk5w9t2m4v6b8n0p2r4'

/** A kind of caller: its credentials, by the permission that the route requires. */
type Credentials = (permission: string) => Promise<ApiRequest> | ApiRequest

let user: string
const keys = new Map<string, string>()

beforeAll(async () => {
  user = await userToken(env, freshUser())
})

async function keyWith(permissions: readonly string[], mode: 'live' | 'test' = 'live'): Promise<ApiRequest> {
  const name = `${mode} ${permissions}`
  const known =
    keys.get(name) ?? (await addKey(env, env, { permissions: [...permissions], mode, perSecond: 100_000 })).apiKey
  keys.set(name, known)
  return { key: known }
}
const operatorWith = (permissions: readonly string[]): ApiRequest => ({ token: operatorToken(env, { permissions }) })
const without = (permissions: readonly string[], one: string) => permissions.filter((permission) => permission !== one)

const nobody: Record<string, Credentials> = {
  'no credentials': () => ({ key: null }),
  'an altered key': () => ({ key: `${env.apiKey.slice(0, -1)}${env.apiKey.endsWith('0') ? '1' : '0'}` }),
  'a token for another audience': () => ({ token: operatorToken(env, { aud: 'urn:other' }) }),
}
const ofKeys: Record<string, Credentials> = {
  'a key with this permission alone': (permission) => keyWith([permission]),
  'a key with every other permission': (permission) => keyWith(without(KeyPermission.options, permission)),
  'a key without permissions': () => keyWith([]),
}
const ofOperators: Record<string, Credentials> = {
  'an operator with this permission alone': (permission) => operatorWith([permission]),
  'an operator with every other permission': (permission) =>
    operatorWith(without(OperatorPermission.options, permission)),
  'an operator without permissions': () => operatorWith([]),
}
const ofUsers: Record<string, Credentials> = { 'a user': () => ({ token: user }) }

async function statusOf(route: Route, caller: ApiRequest): Promise<number> {
  const path = route.path.replace(/:(\w+)/g, unknownId)
  const body = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: {} }
  return (await untilAvailable(() => env.api(route.method, path, { ...caller, ...body }))).status
}

/** The status of every caller; `may` for an admitted one, whose answer depends on its request. */
async function judge(route: Route, callers: Record<string, Credentials>, permission = '') {
  const judged = Object.entries(callers).map(async ([name, credentials]) => {
    const status = await statusOf(route, await credentials(permission))
    return [name, status === 401 || status === 403 ? status : status < 500 ? 'may' : `answered ${status}`] as const
  })
  return Object.fromEntries(await Promise.all(judged))
}

const all = <T extends string | number>(callers: Record<string, unknown>, status: T) =>
  Object.fromEntries(Object.keys(callers).map((name) => [name, status]))

const named = (chosen: readonly Route[]) => chosen.map((route) => [`${route.method} ${route.path}`, route] as const)
const routes = publicRoutes()

describe.each(named(routes.filter(({ auth }) => permissionsFor(auth))))('%s', (_name, route) => {
  const { key, operator } = permissionsFor(route.auth)!

  test('answers requests without credentials, and those of users, with 401', async () => {
    expect(await judge(route, { ...nobody, ...ofUsers })).toEqual(all({ ...nobody, ...ofUsers }, 401))
  })

  test('admits keys by their permission', async () => {
    const expected = key === undefined ? 403 : key === null ? 'may' : undefined
    expect(await judge(route, ofKeys, key ?? KeyPermission.options[0])).toEqual(
      expected ? all(ofKeys, expected) : { ...all(ofKeys, 403), 'a key with this permission alone': 'may' },
    )
    const isLiveOnly = (liveOnlyPermissions as readonly string[]).includes(key ?? '')
    if (isLiveOnly) expect(await statusOf(route, await keyWith([key!], 'test'))).toBe(403)
  })

  test('admits operators by their permission', async () => {
    const expected = operator === undefined ? 403 : operator === null ? 'may' : undefined
    expect(await judge(route, ofOperators, operator ?? OperatorPermission.options[0])).toEqual(
      expected
        ? all(ofOperators, expected)
        : { ...all(ofOperators, 403), 'an operator with this permission alone': 'may' },
    )
  })
})

test.each(named(routes.filter(({ auth, path }) => auth.caller === 'user' && !path.endsWith('/stream'))))(
  '%s admits only users',
  async (_name, route) => {
    const others = { ...nobody, ...ofKeys, ...ofOperators }
    expect(await judge(route, { ...others, ...ofUsers }, KeyPermission.options[0])).toEqual({
      ...all(others, 401),
      ...all(ofUsers, 'may'),
    })
  },
)

test.each(named(routes.filter(({ auth }) => auth.caller === 'carrier')))(
  '%s admits carriers only: an unsigned request is refused, whatever the credentials',
  async (_name, route) => {
    const others = { ...nobody, ...ofKeys, ...ofOperators, ...ofUsers }
    const callers = await Promise.all(Object.values(others).map((credentials) => credentials('notifications:send')))
    const statuses = new Set(await Promise.all(callers.map((caller) => statusOf(route, caller))))
    // Refused for the signature, or before it is read: for the provider's id, or for a form that no carrier sends.
    expect([[403], [404], [415], [422]]).toContainEqual([...statuses])
  },
)

test('each route has one of these kinds of callers', () => {
  const kinds = new Set(routes.map(({ auth }) => auth.caller))
  const known = ['key', 'operator', 'key or operator', 'any principal', 'user', 'carrier', 'anyone']
  expect([...kinds].filter((kind) => !known.includes(kind))).toEqual([])
})

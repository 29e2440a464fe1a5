import { expect } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken, untilAvailable } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'

/** The stack of all tests of lists and broadcasts. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-worker'],
    env: {
      all: {
        ...{ BROADCAST_RATE: '100000', MEMBERS_PER_LIST: '1500', BROADCASTS_PER_TENANT: '5' },
        RENDER_MS_PER_SECOND: '50',
      },
    },
  })
}

export const lists = (method: string, path = '', body?: object, request: ApiRequest = {}) =>
  env.api(method, `/api/v1/lists${path}`, { ...request, ...(body && { body }) })
export const addList = async (): Promise<string> =>
  (await postUntilTaken(env, '/api/v1/lists', { name: 'Customers' })).body.list_id

export const freshUsers = (count: number) => Array.from({ length: count }, () => `user-${crypto.randomUUID()}`)
export const idOf = (user_id: string) => ({ user_id })

/** Saves users with a number each. @returns the number of each */
export async function addUsers(users: readonly string[]): Promise<Map<string, string>> {
  const phones = new Map(users.map((user) => [user, freshPhone()]))
  const put = async ([user, phone]: [string, string]) => {
    const saved = await untilAvailable(() => env.api('PUT', `/api/v1/users/${user}`, { body: { phone } }))
    expect(saved.status).toBe(200)
  }
  for (const group of Map.groupBy([...phones].entries(), ([at]) => Math.floor(at / 50)).values())
    await Promise.all(group.map(([, user]) => put(user)))
  return phones
}

export async function listOf(users: readonly string[]): Promise<string> {
  const id = await addList()
  for (let at = 0; at < users.length; at += 1000) {
    const members = users.slice(at, at + 1000).map(idOf)
    expect((await untilAvailable(() => lists('PUT', `/${id}/members`, { members }))).status).toBe(200)
  }
  return id
}

export const content = { channel: 'sms', body: 'We have moved.' }
export async function broadcastTo(listId: string, body: object = content): Promise<string> {
  const answer = await postUntilTaken(env, `/api/v1/lists/${listId}/notifications`, body)
  expect([answer.status, answer.body.status]).toEqual([202, 'running'])
  return answer.body.broadcast_id
}
export const progressOf = async (id: string) => (await env.api('GET', `/api/v1/broadcasts/${id}`)).body
export const until = (id: string, expected: object) =>
  eventually(async () => expect(await progressOf(id)).toMatchObject(expected))
export const control = (id: string, verb: string, request: ApiRequest = {}) =>
  env.api('POST', `/api/v1/broadcasts/${id}/${verb}`, request)

/** How many notifications each member has, and in which states. */
export async function notificationsOf(broadcastId: string) {
  const { rows } = await env.admin.query(
    `select status, failure_reason, count(*)::int as count, count(distinct user_index)::int as users
     from dispatch.notifications where broadcast_id = $1 group by 1, 2 order by 1`,
    [broadcastId],
  )
  return rows
}
export const acceptedOf = async (id: string) => (await notificationsOf(id)).reduce((sum, { count }) => sum + count, 0)

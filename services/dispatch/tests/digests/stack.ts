import { expect } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { asOperator, post } from '@notify/test-kit/api'
import { freshPhone, untilTemplatesRender } from '@notify/test-kit/sms'

/** The stack of all tests of digests. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-worker'],
    // On a busy machine many items at once take more than a tenant's usual share of the time for templates.
    env: { 'dispatch-api': { RENDER_MS_PER_SECOND: '100000' } },
  })
  await untilTemplatesRender(env)
}

export const operator = (method: string, path: string, body?: object) =>
  asOperator(env, method, `/api/v1${path}`, body && { body })

const text = '{{ name }}: {{ total }}{% for one in items %}, {{ one.name }}{% endfor %} and {{ more }} more'

/** Adds a published event. @returns its key */
export async function addEvent(digest: object | null, fields: object = {}): Promise<string> {
  const event_key = `digest.${crypto.randomUUID()}`
  const content = { name: 'News', allowed_channels: ['sms'], templates: { sms: { body: text } }, digest, ...fields }
  const made = await operator('POST', `/applications/${env.applicationId}/events`, {
    ...{ event_key, status: 'published', ...content },
  })
  expect([made.status, made.body.detail]).toEqual([201, undefined])
  return event_key
}

export const anHour = { window: { seconds: 3600 } }

export const itemOf = (event_key: string, phone: string, name: string, fields: object = {}) => ({
  ...{ channel: 'sms', recipient: { phone }, event_key, data: { name }, ...fields },
})

/** Sends an item. @returns its id */
export async function add(
  event_key: string,
  phone: string,
  name: string,
  fields: object = {},
  request: ApiRequest = {},
) {
  const { status, body } = await post(env, itemOf(event_key, phone, name, fields), request)
  expect([status, body.detail, body.delivery_status]).toEqual([202, undefined, 'scheduled'])
  return body.notification_id as string
}

/** An event with a digest, and a recipient. */
export const fresh = async (digest: object = anHour, fields: object = {}) => ({
  event_key: await addEvent(digest, fields),
  phone: freshPhone(),
})

export async function digestsOf(event_key: string) {
  const { rows } = await env.admin.query(
    `select *, extract(epoch from closes_at - opened_at)::float8 as seconds from dispatch.digests
     where event_key = $1 order by id`,
    [event_key],
  )
  return rows
}

/** The time of the open digests of an event has come. */
export const timePasses = (event_key: string) =>
  env.admin.query('update dispatch.digests set closes_at = now(), due_at = now() where event_key = $1', [event_key])

export const untilClosed = (event_key: string) => eventually(async () => expect(await digestsOf(event_key)).toEqual([]))

export async function close(event_key: string): Promise<void> {
  await timePasses(event_key)
  await untilClosed(event_key)
}

/** The texts that arrived, oldest first. */
export const textsTo = async (phone: string) => (await env.messages({ to: phone })).map((one) => one.text).reverse()

export const untilTexts = (phone: string, texts: readonly string[]) =>
  eventually(async () => expect(await textsTo(phone)).toEqual(texts))

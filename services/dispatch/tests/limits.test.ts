import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { asOperator, expectProblem } from '@notify/test-kit/api'
import { addApplication } from '@notify/test-kit/callers'

let env: TestEnv
let application: string
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch'], {
    env: {
      gateway: { APPLICATIONS_PER_TENANT: '4', KEYS_PER_APPLICATION: '4' },
      'dispatch-api': {
        ...{ EVENTS_PER_APPLICATION: '2', TOPICS_PER_APPLICATION: '2', VERSIONS_PER_EVENT: '3' },
        ...{ TEMPLATES_PER_TENANT: '2', LAYOUTS_PER_TENANT: '2', VERSIONS_PER_LAYOUT: '2', PROVIDERS_PER_TENANT: '8' },
      },
    },
  })
  application = (await addApplication(env)).applicationId
})
afterAll(() => env?.stop())

const call = (method: string, path: string, body?: object) =>
  asOperator(env, method, `/api/v1${path}`, body && { body })

const templates = { sms: { body: 'Hello' } }
const event = (event_key: string) => ({ event_key, name: 'Limited', allowed_channels: ['sms'], templates })

/** Creates ten at the same moment, of which some must be refused. @param create gets a name of its own @returns how many succeeded */
async function fill(create: (name: string) => ReturnType<typeof call>, code: string): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(crypto.randomUUID())))
  const refused = answers.filter(({ status }) => status !== 201)
  for (const answer of refused) expectProblem(answer, 409, code as 'not_found')
  expect(refused.length).toBeGreaterThan(0)
  return answers.length - refused.length
}

test('a tenant has at most so many applications, however many are created at the same moment', async () => {
  await fill(() => call('POST', '/applications', { name: 'Shop' }), 'application_limit_reached')
  expect((await call('GET', '/applications')).body.items).toHaveLength(4)
})

test('an application has at most so many active keys: a revoked one makes room', async () => {
  const path = `/applications/${application}/keys`
  const create = () => call('POST', path, { name: 'Server', permissions: [] })
  await fill(create, 'api_key_limit_reached')
  const { items } = (await call('GET', path)).body
  expect(items).toHaveLength(4)
  expectProblem(await call('POST', `${path}/${items[0].key_id}/rotate`, {}), 409, 'api_key_limit_reached')
  await call('DELETE', `${path}/${items[0].key_id}`)
  expect((await create()).status).toBe(201)
})

test('an application has at most so many topics: a deleted one makes room', async () => {
  const path = `/applications/${application}/topics`
  const create = (topic_key: string) => call('POST', path, { topic_key, name: 'News', channels: ['email'] })
  expect(await fill(create, 'topic_limit_reached')).toBe(2)
  const [{ topic_key }] = (await call('GET', path)).body.items
  expect((await call('DELETE', `${path}/${topic_key}`)).status).toBe(204)
  expect((await create('another')).status).toBe(201)
})

test('an application has at most so many events, and an event so many versions', async () => {
  const path = `/applications/${application}/events`
  expect(await fill((name) => call('POST', path, event(name)), 'event_limit_reached')).toBe(2)
  const [{ event_key }] = (await call('GET', path)).body.items
  const publish = async (name: string) => {
    await call('PUT', `${path}/${event_key}`, { name, allowed_channels: ['sms'], templates })
    return call('POST', `${path}/${event_key}/publish`)
  }
  for (const name of ['First', 'Second', 'Third']) expect((await publish(name)).status).toBe(200)
  expectProblem(await publish('Fourth'), 409, 'event_version_limit_reached')
  expectProblem(await call('POST', `${path}/${event_key}/versions/1/restore`), 409, 'event_version_limit_reached')
})

test('a tenant has at most so many templates, layouts and providers, and the newest versions of a layout are kept', async () => {
  await fill(() => call('POST', '/templates', { name: 'Hello', templates }), 'template_limit_reached')
  expect((await call('GET', '/templates')).body.items).toHaveLength(2)
  const layout = { name: 'Brand', html_body: '{{ content }}' }
  await fill(() => call('POST', '/layouts', layout), 'layout_limit_reached')
  const layouts = (await call('GET', '/layouts')).body.items
  expect(layouts).toHaveLength(2)
  const replace = () => call('PUT', `/layouts/${layouts[0].layout_id}`, { name: 'Brand', html_body: '{{ content }}!' })
  const replaced = await Promise.all([1, 2, 3].map(replace))
  expect(replaced.map(({ status }) => status)).toEqual([200, 200, 200])
  const kept = (await call('GET', `/layouts/${layouts[0].layout_id}/versions`)).body.items
  expect(kept.map(({ version }: { version: number }) => version)).toEqual([4, 3])
  const hook = { channel: 'webhook', kind: 'webhook', name: 'Hooks' }
  await fill(() => call('POST', '/providers', hook), 'provider_limit_reached')
  expect((await call('GET', '/providers')).body.items).toHaveLength(8)
})

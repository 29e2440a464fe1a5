import { expect, test } from '@jest/globals'
import { BootstrapDocument } from './bootstrap.ts'
import { newId } from './ids.ts'
import { KeyPermission, liveOnlyPermissions } from './permissions.ts'

const documentWith = (mode: string, permissions: readonly string[]) => ({
  tenants: [],
  applications: [],
  events: [],
  providers: [],
  api_keys: [
    {
      key_id: newId('key'),
      tenant_id: newId('ten'),
      application_id: newId('app'),
      name: 'Key',
      mode,
      permissions,
      sha256: '0'.repeat(64),
      rate_limit_per_second: null,
    },
  ],
})

test('a live key may have every permission, a test key none that affects live messages', () => {
  const harmless = KeyPermission.options.filter((permission) => !liveOnlyPermissions.includes(permission))
  expect(BootstrapDocument.safeParse(documentWith('live', KeyPermission.options)).success).toBe(true)
  expect(BootstrapDocument.safeParse(documentWith('test', harmless)).success).toBe(true)
  expect(BootstrapDocument.safeParse(documentWith('test', ['domains:manage'])).error?.issues).toMatchObject([
    { path: ['api_keys', 0, 'permissions'], message: 'must not be domains:manage for a test key' },
  ])
})

test('keys, topics, events and providers have the tenant of the application that they name', () => {
  const [tenant_id, application_id] = [newId('ten'), newId('app')]
  const owner = { tenant_id, application_id }
  const application = { ...owner, name: 'Shop', allowed_origins: [] }
  const [key] = documentWith('live', []).api_keys
  const provider = { provider_id: newId('prov'), channel: 'sms', kind: 'twilio', name: 'Main', priority: 1 }
  const event = { event_key: 'a', name: 'A', status: 'draft', version: 1, allowed_channels: [], templates: {} }
  const issuesOf = (of: object) =>
    BootstrapDocument.safeParse({
      tenants: [],
      applications: [application],
      api_keys: [{ ...key, ...of }],
      topics: [{ topic_key: 'news', name: 'News', channels: ['email'], ...of }],
      events: [{ ...event, ...of }],
      providers: [{ ...provider, credentials: {}, ...of }],
    }).error?.issues
  expect(issuesOf(owner)).toBeUndefined()
  expect(issuesOf({ ...owner, tenant_id: newId('ten') })).toMatchObject(
    ['api_keys', 'topics', 'events', 'providers'].map((part) => ({
      path: [part, 0, 'tenant_id'],
      message: 'must be that of the application',
    })),
  )
})

test('an origin is one that browsers send, as in the API', () => {
  const { allowed_origins: origins } = BootstrapDocument.shape.applications.element.shape
  for (const good of ['https://shop.example', 'http://localhost:3000', 'https://[::1]:8443'])
    expect(origins.safeParse([good]).success).toBe(true)
  for (const bad of ['https://*.shop.example', 'https://shop.example/', '*'])
    expect(origins.safeParse([bad]).success).toBe(false)
})

test('a rate is a whole number from 1 to 10,000, or none', () => {
  const { rate_limit_per_second: rate } = BootstrapDocument.shape.providers.element.shape
  for (const good of [1, 10_000, null, undefined]) expect(rate.safeParse(good).success).toBe(true)
  for (const bad of [0, -1, 0.5, 10_001, Number.POSITIVE_INFINITY, '20'])
    expect(rate.safeParse(bad).success).toBe(false)
})

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

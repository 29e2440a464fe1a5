import { beforeAll, expect, test } from '@jest/globals'
import { buildConsole } from '@notify/dev-env'
import { env, get } from './stack.ts'

beforeAll(async () => void (await buildConsole()))

test.each(['/console', '/console/', '/console/activity', '/console/activity/notif_1?status=failed'])(
  '%s answers the index, which is asked for again each time',
  async (path) => {
    const response = await get(path)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect(await response.text()).toMatch(/<script type="module"[^>]+src="\/console\/assets\/[\w.-]+\.js"/)
  },
)

test('assets are named by their content and kept for a year', async () => {
  const [path] = /\/console\/assets\/[\w.-]+\.js/.exec(await (await get('/console')).text()) ?? []
  const response = await get(path!)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(response.headers.get('content-encoding')).toBe('gzip')
})

test.each(['/console/assets/absent.js', '/console/assets/..%2findex.html', '/console/assets/%2e%2e%2f.build'])(
  '%s is not found, and does not answer the index',
  async (path) => {
    const response = await get(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
  },
)

test('the page may load scripts and styles of its origin only, and call nothing else but the issuer', async () => {
  const policy = (await get('/console')).headers.get('content-security-policy')!
  const issuer = new URL(env.urls['identity-provider']!).origin
  expect(policy.split('; ').sort()).toEqual([
    "base-uri 'none'",
    `connect-src 'self' ${issuer}`,
    "default-src 'none'",
    "font-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "frame-src 'self'",
    "img-src 'self' data:",
    "script-src 'self'",
    "style-src 'self'",
  ])
})

test('the frame of previews has an origin of its own, loads nothing, and runs one script', async () => {
  const response = await get('/console/preview-frame')
  expect([response.status, response.headers.get('x-frame-options')]).toEqual([200, 'SAMEORIGIN'])
  expect(response.headers.get('content-security-policy')!.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'img-src data:',
    'sandbox allow-scripts',
    expect.stringMatching(/^script-src 'sha256-[\w+/]{43}='$/),
    "style-src 'unsafe-inline'",
  ])
})

test('the settings name the issuer and the client, and no secret', async () => {
  const response = await get('/console/config.json')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(await response.json()).toEqual({
    issuer: env.urls['identity-provider'],
    client_id: 'notify-console',
    scope: 'openid api',
  })
})

test('the console is read only', async () => {
  const response = await fetch(new URL('/console/activity', env.urls.gateway), { method: 'POST' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

import { expect, test } from '@jest/globals'
import { errorCodes } from '@notify/contracts'
import { env, get } from './stack.ts'

test.each(Object.keys(errorCodes))('%s has a page that says what it means and what to do', async (code) => {
  const response = await get(`/docs/errors/${code}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch('text/html')
  expect(response.headers.get('content-security-policy')).toMatch("default-src 'none'")
  const html = await response.text()
  for (const text of [`<code>${code}</code>`, 'Meaning', 'What to do']) expect(html).toContain(text)
})

test('the type of a problem is the address of the page of its code', async () => {
  const problem = (await (await get('/api/v1/me')).json()) as { type: string; code: string }
  const page = await fetch(problem.type)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain(`<code>${problem.code}</code>`)
})

test('all codes are listed, and an unknown one has no page', async () => {
  const list = await (await get('/docs/errors')).text()
  for (const code of Object.keys(errorCodes)) expect(list).toContain(`href="/docs/errors/${code}"`)
  expect((await get('/docs/errors/no_such_code')).status).toBe(404)
})

test('the reference loads its script from this origin alone, once and for all', async () => {
  const page = await get('/docs')
  expect(page.headers.get('content-security-policy')).toMatch("script-src 'self'")
  const html = await page.text()
  expect(html).not.toMatch(/https?:/)
  const [path] = html.match(/\/docs\/reference-[0-9a-f]{12}\.js/) ?? []
  const script = await get(path!, { 'accept-encoding': 'gzip' })
  expect(script.status).toBe(200)
  expect(script.headers.get('cache-control')).toMatch('immutable')
  expect((await script.text()).length).toBeGreaterThan(1_000_000)
})

test.each(['/docs', '/docs/errors', '/docs/errors/not_found', '/content/openapi.json'])(
  '%s is read only',
  async (path) => {
    const response = await fetch(new URL(path, env.urls.gateway), { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  },
)

test.each([
  ...['/docs', '/docs/errors', '/docs/errors/not_found', '/docs/errors/none', '/content/openapi.json', '/nowhere'],
  ...['/console/', '/console/config.json', '/console/preview-frame', '/console/assets/none.js', '/healthz', '/readyz'],
])('no browser guesses another type of %s', async (path) => {
  expect((await get(path)).headers.get('x-content-type-options')).toBe('nosniff')
})

test('the OpenAPI file is compressed for callers that accept it, and is sent once per version', async () => {
  const path = '/content/openapi.json'
  const response = await get(path, { 'accept-encoding': 'gzip' })
  const etag = response.headers.get('etag')!
  expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
  const plain = await get(path, { 'accept-encoding': 'identity' })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(await plain.json()).toEqual(await response.json())
  // fetch adds "no-cache", which asks for the whole file.
  const revalidate = (version: string) => get(path, { 'if-none-match': version, 'cache-control': 'max-age=0' })
  const unchanged = await revalidate(etag)
  expect([unchanged.status, unchanged.headers.get('x-content-type-options')]).toEqual([304, 'nosniff'])
  expect((await revalidate('W/"another"')).status).toBe(200)
})

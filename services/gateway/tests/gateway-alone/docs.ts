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

/** The addresses and the anchors of a page. */
function partsOf(html: string) {
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, found]) => found!)
  return { links: all(/href="([^"]+)"/g), ids: all(/ id="([^"]+)"/g) }
}

test('every link of the documentation leads to a page of this origin, and every anchor to its heading', async () => {
  const pages = new Map<string, ReturnType<typeof partsOf>>()
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const response = await get(path)
    expect([path, response.status]).toEqual([path, 200])
    const parts = path.startsWith('/docs') ? partsOf(await response.text()) : { links: [], ids: [] }
    pages.set(path, parts)
    waiting.push(...parts.links.filter((link) => link.startsWith('/')).map((link) => link.split('#')[0]!))
  }
  expect([...pages.keys()]).toEqual(expect.arrayContaining(['/docs/guides/webhooks', '/docs/reference/notifications']))
  const anchors = [...pages].flatMap(([path, { links }]) =>
    links.filter((link) => /^(#|\/docs.*#)/.test(link)).map((link) => (link.startsWith('#') ? `${path}${link}` : link)),
  )
  const isMissing = (link: string) => {
    const [path = '', anchor = ''] = link.split('#')
    return !pages.get(path)?.ids.includes(anchor)
  }
  expect(anchors.length).toBeGreaterThan(100)
  expect(anchors.filter(isMissing)).toEqual([])
})

test('the reference has every route with its fields, and begins with notifications', async () => {
  const overview = await (await get('/docs/reference')).text()
  const { paths } = (await (await get('/content/openapi.json')).json()) as { paths: Record<string, object> }
  for (const path of Object.keys(paths)) expect(overview).toContain(`<code>${path}</code>`)
  expect(/<main>.*?<h2><a href="([^"]+)"/.exec(overview)?.[1]).toBe('/docs/reference/notifications')
  const area = await (await get('/docs/reference/notifications')).text()
  for (const field of ['Idempotency-Key', 'event_key', 'attachments[].filename', 'delivery_status'])
    expect(area).toContain(`<code>${field}</code>`)
  expect(area).toContain('href="/docs/errors/recipient_suppressed"')
})

test('the documentation loads nothing, is compressed, and is sent once per version', async () => {
  const page = await get('/docs', { 'accept-encoding': 'gzip' })
  expect(page.headers.get('content-security-policy')).toMatch("default-src 'none'")
  expect([page.headers.get('content-encoding'), page.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
  expect(await page.text()).not.toMatch(/<script|src=|url\(/)
  const known = { 'if-none-match': page.headers.get('etag')!, 'cache-control': 'max-age=0' }
  expect((await get('/docs', known)).status).toBe(304)
  expect((await get('/docs/guides/none')).status).toBe(404)
})

test.each([
  '/docs',
  '/docs/guides/webhooks',
  '/docs/reference',
  '/docs/reference/otp',
  '/docs/errors',
  '/docs/errors/not_found',
  '/content/openapi.json',
])('%s is read only', async (path) => {
  const response = await fetch(new URL(path, env.urls.gateway), { method: 'POST' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

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

import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { env, get } from './stack.ts'

test('a link that cannot be opened now is a page for people, in their language, and a problem for programs', async () => {
  const path = `/u/${'a'.repeat(100)}`
  const page = await get(path, { accept: 'text/html', 'accept-language': 'de-AT, en;q=0.5' })
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1'])
  expect(page.headers.get('content-type')).toMatch('text/html')
  expect(page.headers.get('cache-control')).toBe('no-store')
  const html = await page.text()
  for (const text of ['<html lang="de"', 'gerade nicht', 'noch einmal']) expect(html).toContain(text)
  expectProblem(await env.api('POST', path, { key: null }), 503, 'service_unavailable')
})

test('a callback, an inbox or a stream whose owner does not answer is counted by its route and has a line', async () => {
  const id = 'proxied-and-refused'
  const headers = { 'x-request-id': id }
  const callback = new URL('/api/v1/callbacks/sms/prov_1?secret=hidden', env.urls.gateway)
  const answers = [
    await fetch(callback, { method: 'POST', headers }),
    await get('/api/v1/inbox/hidden', headers),
    await get('/api/v1/in-app/stream', headers),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
  await Promise.all(answers.map((answer) => answer.text()))
  const metrics = await (await fetch(env.stack.metricsUrls.gateway!)).text()
  const paths = ['/api/v1/callbacks', '/api/v1/inbox/:id', '/api/v1/in-app/stream']
  for (const path of paths) expect(metrics).toMatch(seriesOf(path))
  await eventually(() => {
    const lines = env.logs('gateway', 5000).split('\n')
    const own = lines.filter((line) => line.includes(id)).map((line) => JSON.parse(line))
    expect(own).toEqual(
      paths.map((path) =>
        expect.objectContaining({
          msg: 'request failed',
          request_id: id,
          path,
          status: 503,
          code: 'service_unavailable',
        }),
      ),
    )
    expect(JSON.stringify(own)).not.toMatch(/hidden/)
  })
})

/** Of the requests to a route that failed. */
const seriesOf = (path: string) =>
  new RegExp(
    `^http_server_request_duration_seconds_count\\{(?=.*http_response_status_code="503").*http_route="${path}".*\\} [1-9]`,
    'm',
  )

import { expect, test } from '@jest/globals'
import { expectProblem } from '@notify/test-kit/api'
import { env } from './stack.ts'

const headers = { origin: 'https://shop.example.com' }
const names = ['access-control-allow-origin', 'access-control-expose-headers']

test.each(['/api/v1/inbox', '/api/v1/in-app/stream', '/api/v1/preferences'])(
  'a page may read when to come again while the owner of %s is away',
  async (path) => {
    const answer = await env.api('GET', path, { token: 'a.b.c', headers })
    expectProblem(answer, 503, 'service_unavailable')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(names.map((name) => answer.headers.get(name))).toEqual(['*', 'X-Request-Id, Retry-After'])
  },
)

test.each(['/api/v1/inbox/notif_1', '/api/v1/in-app/stream'])(
  'a browser sends the request that tells a page when to come again, while the owner of %s is away',
  async (path) => {
    const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
    const { status, headers: answered } = await fetch(`${env.urls.gateway}${path}`, {
      method: 'OPTIONS',
      headers: { ...headers, ...asked },
    })
    expect([status, answered.get(names[0]!)]).toEqual([204, '*'])
    expect(answered.get('access-control-allow-methods')).toContain('PATCH')
    expect(answered.get('access-control-allow-headers')).toContain('Authorization')
    expect(answered.get('access-control-max-age')).toBe('0')
  },
)

test('a caller that is no page gets no headers for pages', async () => {
  const answer = await env.api('GET', '/api/v1/inbox', { token: 'a.b.c' })
  expect(names.map((name) => answer.headers.get(name))).toEqual([null, null])
})

test('a page may read no answer to an API key, which no page should have', async () => {
  for (const [method, path] of [
    ['POST', '/api/v1/in-app/tokens'],
    ['GET', '/api/v1/notifications/notif_01jd0000000000000000000000'],
  ] as const) {
    const body = method === 'POST' ? { body: { user_id: 'ada' } } : {}
    const answer = await env.api(method, path, { headers, ...body })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(names.map((name) => answer.headers.get(name))).toEqual([null, null])
  }
})

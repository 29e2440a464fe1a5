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

import { expect, test } from '@jest/globals'
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

import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { behaviours } from '../src/behaviours.ts'
import { startSandbox } from './harness.ts'

test('the page stands alone: style and script are inline, and the policy allows these two and nothing else', async () => {
  const { url } = await startSandbox()
  const answer = await fetch(url)
  const page = await answer.text()
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
  expect(page).not.toMatch(/(?:src|href)="(?!data:)/)
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  for (const name of ['style', 'script']) {
    const text = new RegExp(`<${name}[^>]*>(.+?)</${name}>`, 's').exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(text).digest('base64')
    expect(policy).toContain(`${name}-src 'sha256-${hash}'`)
  }
})

test('the page puts text into the document only as text', async () => {
  const { url } = await startSandbox()
  const page = await (await fetch(url)).text()
  expect(page).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/)
})

test('the behaviours are served for the legend', async () => {
  const { url } = await startSandbox()
  expect(await (await fetch(`${url}/behaviours`)).json()).toEqual({ items: behaviours })
})

test('health and readiness are answered 200 in JSON', async () => {
  const { url } = await startSandbox()
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(url + path)
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
  }
})

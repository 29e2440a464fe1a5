import { createHash } from 'node:crypto'
import { SendEmailCommand } from '@aws-sdk/client-sesv2'
import { expect, test } from '@jest/globals'
import { behaviours, emailBehaviours } from '../src/behaviours.ts'
import { sesClient, startSandbox } from './harness.ts'

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

test('the HTML of an email is served where nothing of it runs, loads or leaves', async () => {
  const { url } = await startSandbox()
  const html = '<p style="color:red">Hi</p><script>alert(1)</script><img src="https://tracker.test/x.gif">'
  const { MessageId } = await sesClient(url).send(
    new SendEmailCommand({
      FromEmailAddress: 'a@shop.test',
      Destination: { ToAddresses: ['ada@x.test'] },
      Content: { Simple: { Subject: { Data: 's' }, Body: { Html: { Data: html } } } },
    }),
  )
  const answer = await fetch(`${url}/messages/${MessageId}/html`)
  expect([answer.status, await answer.text()]).toEqual([200, html])
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
  const policy = (answer.headers.get('content-security-policy') ?? '').split('; ')
  expect(policy).toEqual(expect.arrayContaining(['sandbox', "default-src 'none'", "frame-ancestors 'self'"]))
  expect(policy.join()).not.toMatch(/script-src|allow-/)
  expect((await fetch(`${url}/messages/unknown/html`)).status).toBe(404)
  const page = await (await fetch(url)).text()
  expect(page).toContain('<iframe sandbox="" ')
})

test('the page shows a code large: the only number in a text that contains the word code', async () => {
  const { url } = await startSandbox()
  const page = await (await fetch(url)).text()
  const source = /function showCode[\s\S]*?\n}\n/.exec(page)?.[0] ?? ''
  const shown = (message: { text: string; subject?: string }) => {
    const code = { textContent: '', hidden: true }
    new Function('row', 'message', `${source}; showCode(row, message)`)({ querySelector: () => code }, message)
    return code.hidden ? undefined : code.textContent
  }
  expect(shown({ text: '042917 is your verification code. It expires in 5 minutes.' })).toBe('042917')
  expect(shown({ text: 'Ihr Code: 4711' })).toBe('4711')
  expect(shown({ text: '123456 is your verification code.\n\n@shop.example #123456' })).toBe('123456')
  expect(shown({ text: 'Your order A-1001 is on its way.' })).toBeUndefined()
  expect(shown({ text: 'Codes 1234 and 5678' })).toBeUndefined()
})

test('the page shows whom an email is copied to, its headers and its files', async () => {
  const { url } = await startSandbox()
  const source = /function showParts[\s\S]*?\n}\n/.exec(await (await fetch(url)).text())?.[0] ?? ''
  const shown = (message: object) => {
    const parts = { textContent: '', hidden: false }
    new Function('row', 'message', `${source}; showParts(row, message)`)({ querySelector: () => parts }, message)
    return parts
  }
  const file = { filename: 'logo.png', content_type: 'image/png', size: 70, content_id: 'logo' }
  const email = {
    cc: ['Grace <g@example.com>'],
    bcc: ['a@example.com'],
    headers: { 'X-Order': '1' },
    attachments: [file],
  }
  expect(shown(email)).toEqual({
    textContent:
      'Cc: Grace <g@example.com>\nBcc: a@example.com\nFiles: logo.png (image/png, 70 bytes, cid:logo)\nX-Order: 1',
    hidden: false,
  })
  expect(shown({ text: 'Hi' })).toEqual({ textContent: '', hidden: true })
})

test('the page shows the webhooks that the receiver got, the newest first, with the verdict on their signatures', async () => {
  const { url } = await startSandbox()
  const page = await (await fetch(url)).text()
  expect(page).toContain('<ol id="webhooks"')
  const source = /function createWebhookRow[\s\S]*?\n}\n/.exec(page)?.[0] ?? ''
  const rowOf = (webhook: object) => {
    const parts: Record<string, { textContent: string; dataset: Record<string, string> }> = {}
    const row = { dataset: {}, querySelector: (name: string) => (parts[name] ??= { textContent: '', dataset: {} }) }
    const element = () => ({ content: { cloneNode: () => ({ firstElementChild: row }) } })
    const clock = { format: () => '12:00:00' }
    new Function('element', 'clock', 'webhook', `${source}; createWebhookRow(webhook)`)(element, clock, webhook)
    return parts
  }
  const webhook = { received_id: 1, path: '/ok', body: '{"id":"msg_1"}', received_at: '2026-11-22T08:00:00.000Z' }
  const good = rowOf({ ...webhook, headers: { 'x-svc-id': 'msg_1' }, verified: true })
  expect([good['.to']?.textContent, good['.from']?.textContent]).toEqual(['/ok', 'msg_1'])
  expect(good['.status']).toMatchObject({ textContent: 'signature verified', dataset: { outcome: 'good' } })
  expect(good.pre?.textContent).toBe('x-svc-id: msg_1\n\n{"id":"msg_1"}')
  const bad = rowOf({ ...webhook, headers: {}, verified: false })
  expect(bad['.status']).toMatchObject({ textContent: 'signature not verified', dataset: { outcome: 'bad' } })
})

test('the behaviours are served for the legend', async () => {
  const { url } = await startSandbox()
  expect(await (await fetch(`${url}/behaviours`)).json()).toEqual({ items: behaviours, emails: emailBehaviours })
})

test('health and readiness are answered 200 in JSON', async () => {
  const { url } = await startSandbox()
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(url + path)
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
  }
})

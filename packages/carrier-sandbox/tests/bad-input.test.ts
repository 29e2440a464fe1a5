import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from '@jest/globals'
import { postMessage, sender, startSandbox } from './harness.ts'

test.each(['0', '-1', '1.5', 'ten', '100001', '1&limit=2'])('a limit of %s is refused with 400', async (limit) => {
  const { url } = await startSandbox()
  const answer = await fetch(`${url}/messages?limit=${limit}`)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ code: 'invalid_query', detail: expect.stringMatching(/^limit: /) })
})

test('a limit may be as large as the log', async () => {
  const { url } = await startSandbox()
  expect((await fetch(`${url}/messages?limit=100000`)).status).toBe(200)
})

test('a recipient that is given twice is refused with 400', async () => {
  const { url } = await startSandbox()
  expect((await fetch(`${url}/messages?to=a&to=b`)).status).toBe(400)
})

test.each(['/nothing', '/telegram', '/page/page.css', '/src/main.ts'])('%s is not found, in JSON', async (path) => {
  const { url } = await startSandbox()
  const answer = await fetch(url + path, { method: 'POST', body: '{}' })
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ status: 404, code: 'not_found' })
})

test('an unknown path of the carrier is not found in the shape of the carrier', async () => {
  const { url } = await startSandbox()
  const answer = await fetch(`${url}/twilio/2010-04-01/Accounts/AC1/Calls.json`)
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ code: 20404, status: 404 })
})

test('a body of more than 256 KiB is refused with 413, whatever its type', async () => {
  const { url } = await startSandbox()
  for (const type of ['application/x-www-form-urlencoded', 'application/json', 'x']) {
    const answer = await postMessage(url, `Body=${'x'.repeat(256 * 1024)}`, { 'content-type': type })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large' })
  }
})

test.each([
  ['an unknown encoding', { 'content-encoding': 'secret' }],
  ['a compressed body that is not compressed', { 'content-encoding': 'gzip' }],
])('%s is refused with 4xx', async (_what, headers) => {
  const { url } = await startSandbox()
  const answer = await postMessage(url, { To: '+15551230001', From: sender, Body: 'Hi' }, headers)
  expect(Math.floor(answer.status / 100)).toBe(4)
  expect(await answer.json()).toMatchObject({ code: 'bad_request' })
})

test('a path with broken escapes is refused with 400', async () => {
  const { url } = await startSandbox()
  const answer = await fetch(`${url}/twilio/2010-04-01/Accounts/%E0%A4%A/Messages.json`, { method: 'POST' })
  expect(answer.status).toBe(400)
})

test('parameters that are odd, repeated or named like built-ins do no harm', async () => {
  const { url } = await startSandbox()
  const odd = `To=%2B15551230001&To=%2B15551230002&From=x&Body=%00%FF%ED%A0%80&__proto__=1&constructor=2&%=%&&=`
  expect((await postMessage(url, odd)).status).toBe(201)
  expect((await fetch(`${url}/messages`)).status).toBe(200)
})

test('bytes that are not HTTP, and clients that leave midway, do not stop the sandbox', async () => {
  const { url } = await startSandbox()
  for (const bytes of [
    '\x16\x03\x01garbage\r\n\r\n',
    'POST /twilio HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nTo=',
  ]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
    socket.end(bytes)
    socket.resume()
    await once(socket, 'close')
  }
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

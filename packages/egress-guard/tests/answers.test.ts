import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { afterNextPoll } from '@notify/service-kit'
import { standStill, startDistantServer } from '@notify/test-kit/standstill'
import { answered, certificate, client, muteServer, ok, post, receiver } from './exchange.ts'

test('an answer comes with status, headers and body', async () => {
  const { port, requests } = await receiver(
    answered('HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\nbusy'),
  )
  const outcome = await post(client(), `https://127.0.0.1:${port}/hook?a=b`)
  expect(outcome).toMatchObject({ kind: 'answered', status: 503, headers: { 'retry-after': '7' } })
  expect(outcome.kind === 'answered' && outcome.body.toString()).toBe('busy')
  expect(requests[0]).toMatch(/^POST \/hook\?a=b HTTP\/1\.1\r\n/)
  expect(requests[0]).toContain(`host: 127.0.0.1:${port}`)
  expect(requests[0]).toContain('x-test: yes')
  expect(requests[0]).toContain('{"a":1}')
})

test('the values of a repeated header are joined', async () => {
  const twice = 'retry-after: 60\r\nretry-after: 120\r\ncontent-encoding: identity\r\ncontent-encoding: gzip\r\n'
  const { port } = await receiver(answered(`HTTP/1.1 429 Busy\r\n${twice}content-length: 0\r\n\r\n`))
  expect(await post(client(), `https://127.0.0.1:${port}/`)).toMatchObject({
    headers: { 'retry-after': '60, 120', 'content-encoding': 'identity, gzip' },
  })
})

test('a redirect is an answer, and nobody follows it', async () => {
  const target = await receiver(ok)
  const { port } = await receiver(
    answered(`HTTP/1.1 307 Moved\r\nlocation: https://127.0.0.1:${target.port}/\r\ncontent-length: 0\r\n\r\n`),
  )
  expect(await post(client(), `https://127.0.0.1:${port}/`)).toMatchObject({ kind: 'answered', status: 307 })
  expect(target.requests).toEqual([])
})

const never: [string, (socket: TLSSocket) => void][] = [
  ['nothing', () => {}],
  ['half of a header', answered('HTTP/1.1 200 OK\r\nx-')],
  [
    'a body that drips',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    },
  ],
]
test.each(never)('%s ends at the deadline', async (_what, answer) => {
  const { port } = await receiver(answer)
  const outcome = await post(client(), `https://127.0.0.1:${port}/`, 400)
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'timeout', own: false })
  expect(outcome.durationMs).toBeGreaterThanOrEqual(390)
})

test('an answer that arrives while the process stands still counts, though the deadline is over', async () => {
  const reply = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const server = await startDistantServer({ certificate, turns: [['{"a":1}', reply]] })
  const startedMs = performance.now()
  const outcome = post(client(), `https://127.0.0.1:${server.port}/`, 3000)
  await server.standStillUntil(startedMs + 3500)
  expect(await outcome).toMatchObject({ kind: 'answered', status: 200, body: Buffer.from('ok') })
  await server.close()
})

test('nothing is sent over a kept connection once the deadline is over, though the process stood still before it began', async () => {
  const { port, requests } = await receiver(ok)
  const egress = client()
  const url = `https://127.0.0.1:${port}/`
  expect(await post(egress, url)).toMatchObject({ kind: 'answered' })
  // Then the connection is free again.
  await afterNextPoll()
  const outcome = post(egress, url, 300)
  standStill(400)
  expect(await outcome).toMatchObject({ kind: 'failed', reason: 'timeout' })
  expect(await post(egress, url)).toMatchObject({ kind: 'answered' })
  expect(requests).toHaveLength(2)
})

test('DNS and TLS that never answer end at the deadline', async () => {
  const dns = client({ allow: '', resolve: () => new Promise(() => {}) })
  expect(await post(dns, 'https://slow.example.com/', 300)).toMatchObject({ kind: 'failed', reason: 'timeout' })
  const { port } = (await muteServer()).address() as AddressInfo
  expect(await post(client(), `https://127.0.0.1:${port}/`, 300)).toMatchObject({ kind: 'failed', reason: 'timeout' })
})

test('a storm of 1xx answers is cut off early, and a few are allowed', async () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'
  const storm = Buffer.from(hint.repeat(1000))
  const { port } = await receiver((socket) => {
    const pour = () => {
      while (socket.writable) if (!socket.write(storm)) return void socket.once('drain', pour)
    }
    pour()
  })
  expect(await post(client(), `https://127.0.0.1:${port}/`, 20_000)).toEqual({
    kind: 'failed',
    reason: 'protocol',
    message: 'too many 1xx answers before the final one',
    own: false,
    durationMs: expect.any(Number),
  })
  const polite = await receiver(answered(`${hint.repeat(3)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`))
  expect(await post(client(), `https://127.0.0.1:${polite.port}/`)).toMatchObject({ kind: 'answered', status: 200 })
})

test('of a long answer 64 KiB are read, and the connection is closed', async () => {
  let sent = 0
  const { port } = await receiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n')
    const chunk = Buffer.alloc(16_384, 'x')
    const pour = () => {
      while (sent < 100_000_000 && socket.writable) {
        sent += chunk.length
        if (!socket.write(chunk)) return void socket.once('drain', pour)
      }
    }
    pour()
  })
  const outcome = await post(client(), `https://127.0.0.1:${port}/`)
  expect(outcome.kind === 'answered' && outcome.body.length).toBe(64 * 1024)
  expect(sent).toBeLessThan(50_000_000)
})

test('a compressed answer is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const { port } = await receiver((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
    socket.write(bomb)
  })
  const outcome = await post(client(), `https://127.0.0.1:${port}/`)
  expect(outcome.kind === 'answered' && outcome.body.length).toBeLessThanOrEqual(64 * 1024)
})

test.each<[string, string]>([
  ['a flood of headers', `HTTP/1.1 200 OK\r\n${'x-a: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(2000)}\r\n`],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
])('%s is a failure of the receiver', async (_what, text) => {
  const { port } = await receiver(answered(text))
  expect(await post(client(), `https://127.0.0.1:${port}/`)).toMatchObject({
    kind: 'failed',
    reason: 'protocol',
    own: false,
  })
})

test('a file is read whole, up to the size that its caller takes', async () => {
  const file = Buffer.alloc(200_000, 'a')
  const { port, requests } = await receiver((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${file.length}\r\n\r\n`)
    socket.write(file)
  })
  const get = (maxBytes: number) =>
    client().get({ url: `https://127.0.0.1:${port}/file`, headers: {}, deadlineMs: 5000, maxBytes })
  const outcome = await get(file.length)
  expect(outcome.kind === 'answered' && outcome.body.equals(file)).toBe(true)
  expect(requests[0]).toMatch(/^GET \/file HTTP\/1\.1\r\n/)
  expect(await get(file.length - 1)).toMatchObject({ kind: 'failed', message: 'the answer is too large', own: false })
})

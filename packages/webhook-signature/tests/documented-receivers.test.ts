import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { requireBinary } from '@notify/dev-env'
import { newWebhookSecret, signWebhook } from '../src/index.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'webhooks.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'notify-receivers-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true })
})

function codeOf(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilItAnswers(url: string): Promise<void> {
  for (let left = 100; ; left--) {
    try {
      await fetch(url, { method: 'POST', body: '{}' })
      return
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

test.each([
  ['js', () => process.execPath, 'receiver.mjs'],
  ['python', () => requireBinary('python3'), 'receiver.py'],
])(
  'the documented receiver in %s accepts what we sign, and nothing else, which does not end it',
  async (language, command, file) => {
    const code = codeOf(language)
    expect(code.split('\n').length).toBeLessThanOrEqual(22)
    const path = join(folder, file)
    writeFileSync(path, code)
    const secret = newWebhookSecret()
    const port = await freePort()
    children.push(spawn(command(), [path], { env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) } }))
    const url = `http://127.0.0.1:${port}/`
    await untilItAnswers(url)
    const body = '{"id":"msg_1","name":"Zoë"}'
    const timestamp = Math.floor(Date.now() / 1000)
    const signed = (at = timestamp, secrets = [secret]) => signWebhook({ id: 'msg_1', timestamp: at, body }, secrets)
    const answerTo = async (headers: Record<string, string>, text = body) =>
      (await fetch(url, { method: 'POST', headers, body: text })).status
    expect(await answerTo(signed())).toBe(204)
    for (const others of [[newWebhookSecret()], [newWebhookSecret(), newWebhookSecret()]]) {
      expect(await answerTo(signed(timestamp, [...others, secret]))).toBe(204)
    }
    expect(await answerTo(signed(), `${body} `)).toBe(403)
    expect(await answerTo(signed(timestamp, [newWebhookSecret()]))).toBe(403)
    expect(await answerTo(signed(timestamp - 400))).toBe(403)
    expect(await answerTo({})).toBe(403)
    // As many characters as a signature, and more bytes in UTF-8.
    const headers = signed()
    expect(await answerTo({ ...headers, 'x-svc-signature': `${headers['x-svc-signature']!.slice(0, -1)}é` })).toBe(403)
    const large = await answerTo({}, 'x'.repeat(2 ** 21)).catch(() => 'closed')
    expect([413, 'closed']).toContain(large)
    const breaking = connect(port, '127.0.0.1').resume()
    breaking.end('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
    await once(breaking, 'close')
    expect(await answerTo(signed())).toBe(204)
  },
)

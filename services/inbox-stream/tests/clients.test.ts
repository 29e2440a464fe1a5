import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { fetchEventSource } from '@microsoft/fetch-event-source'
import { eventually, requireBinary, TestEnv } from '@notify/dev-env'
import { freshUser, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import { EventSource } from 'eventsource'

/** A client's record of the events that it got. */
type Heard = { id: string; event: string }[]

/** Opens the stream with a client as its users write it. */
type Client = (url: string, token: string, heard: Heard) => Promise<{ close(): void }> | { close(): void }

let env: TestEnv
let nginx: { url: string; stop(): Promise<void> }
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], { apart: ['inbox-stream'] })
  nginx = await startNginx(env.stack.url('gateway'))
})
/** Closed also where a test fails: clients would try again for ever. */
const opened: { close(): void }[] = []
afterEach(() => {
  for (const client of opened.splice(0)) client.close()
})
afterAll(async () => {
  await nginx?.stop()
  await env?.stop()
})

const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, accept: 'text/event-stream' })
const names = ['connection.ready', 'notification.created', 'notification.updated']

const clients: Record<string, Client> = {
  eventsource(url, token, heard) {
    const source = new EventSource(url, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
    })
    for (const name of names) {
      source.addEventListener(name, ({ lastEventId, type }) => void heard.push({ id: lastEventId, event: type }))
    }
    return source
  },
  '@microsoft/fetch-event-source'(url, token, heard) {
    const closing = new AbortController()
    // It is made for browsers, and asks whether the page is seen.
    Object.assign(globalThis, { window: globalThis, document: new EventTarget() })
    void fetchEventSource(url, {
      headers: headersOf(token),
      signal: closing.signal,
      openWhenHidden: true,
      fetch,
      onmessage({ id, event }) {
        if (names.includes(event)) heard.push({ id, event })
      },
    })
    return {
      close() {
        closing.abort()
        for (const name of ['window', 'document']) Reflect.deleteProperty(globalThis, name)
      },
    }
  },
  'curl -N'(url, token, heard) {
    const child = spawn(requireBinary('curl'), ['-sN', '-H', `Authorization: Bearer ${token}`, url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1] ?? ''
        if (names.includes(event)) heard.push({ id: /^id: (.*)$/m.exec(block)?.[1] ?? '', event })
      }
    })
    return { close: () => void child.kill('SIGKILL') }
  },
}

/** Debian's nginx with nothing set but where it listens and passes to. */
async function startNginx(target: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const config = `daemon off; pid ${folder}/pid; error_log stderr;
    events {}
    http {
      access_log off; ${temporary.join(' ')}
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; } }
    }`
  writeFileSync(join(folder, 'nginx.conf'), config)
  const child = spawn(requireBinary('nginx'), ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200))
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

describe.each([
  ['directly', () => env.stack.url('inbox-stream')],
  ['through the gateway', () => env.stack.url('gateway')],
  ['through nginx with its default settings, and the gateway', () => nginx.url],
])('%s', (_way, base) => {
  test.each(Object.keys(clients))('%s hears what comes, as it comes', async (name) => {
    const user = freshUser()
    const token = await userToken(env, user)
    const heard: Heard = []
    opened.push(await clients[name]!(`${base()}/api/v1/in-app/stream`, token, heard))
    await eventually(() => expect(heard).toEqual([{ id: '0', event: 'connection.ready' }]))
    await sendInApp(env, user)
    await eventually(() => expect(heard.at(-1)).toEqual({ id: '1', event: 'notification.created' }))
    const { notifications } = await untilInbox(env, token, 1)
    await env.api('PATCH', `/api/v1/inbox/${notifications[0].id}`, { token, body: { is_read: true } })
    await eventually(() => expect(heard.at(-1)).toEqual({ id: '2', event: 'notification.updated' }))
  })
})

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'clients that reconnect by themselves get what they missed while the service was away (%s)',
  async (signal) => {
    const user = freshUser()
    const token = await userToken(env, user)
    const heard: Record<string, Heard> = { eventsource: [], '@microsoft/fetch-event-source': [] }
    const url = `${env.stack.url('inbox-stream')}/api/v1/in-app/stream`
    for (const name of Object.keys(heard)) opened.push(await clients[name]!(url, token, heard[name]!))
    // A stream that has no id yet begins with what comes after it was opened.
    for (const events of Object.values(heard)) await eventually(() => expect(events).toHaveLength(1))
    await sendInApp(env, user)
    for (const events of Object.values(heard)) await eventually(() => expect(events.at(-1)?.id).toBe('1'))
    if (signal === 'SIGTERM') await env.stack.stopProcess('inbox-stream')
    else await env.kill('inbox-stream')
    await sendInApp(env, user)
    await env.restart('inbox-stream')
    for (const events of Object.values(heard)) {
      const ready = { id: '1', event: 'connection.ready' }
      const missed = { id: '2', event: 'notification.created' }
      await eventually(() => expect(events.slice(2)).toEqual([ready, missed]))
    }
  },
)

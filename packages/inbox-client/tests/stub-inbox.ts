import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InboxNotification } from '../src/index.ts'

export const notification = (n: number, is_read = false): InboxNotification => ({
  id: `inapp_${n}`,
  title: `Title ${n}`,
  body: 'Body',
  is_read,
  created_at: '2026-01-01T00:00:00.000Z',
  data: {},
})

/** A user token as the server would sign it; nobody verifies it here. */
export function tokenOf(sub: string, expiresInS = 3600, mode = 'live'): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + expiresInS
  const claims = { tenant_id: 't', application_id: 'a', mode, sub, exp, n: Math.random() }
  return `${encode({ alg: 'ES256' })}.${encode(claims)}.x`
}

interface Request {
  method: string
  path: string
  token: string
  lastEventId: string | undefined
  body: unknown
}

/** A server of the inbox's protocol whose answers the test decides; only its order of events is under test. */
export class StubInbox {
  readonly requests: Request[] = []
  readonly streams: ServerResponse[] = []
  /** What `GET /inbox` returns. */
  items: InboxNotification[] = []
  unread = 0
  /** Answers a request instead of the stub; false leaves it to the stub. */
  answer: (request: Request, response: ServerResponse) => boolean | Promise<boolean> = () => false
  readonly #server = createServer((request, response) => void this.#handle(request, response))

  static async start(): Promise<StubInbox> {
    const stub = new StubInbox()
    stub.#server.listen(0, '127.0.0.1')
    await once(stub.#server, 'listening')
    return stub
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get openStreams(): ServerResponse[] {
    return this.streams.filter((stream) => !stream.destroyed && !stream.writableEnded)
  }

  requestsOf(path: string): Request[] {
    return this.requests.filter((request) => request.path === path)
  }

  ready(recovered: boolean, head_id: number, stream = this.openStreams.at(-1)!): void {
    const data = { connection_id: 'con_1', recovered, head_id, unread_count: this.unread }
    stream.write(`id: ${recovered ? head_id : 0}\nevent: connection.ready\ndata: ${JSON.stringify(data)}\n\n`)
  }

  created(id: number, item: InboxNotification, unread_count: number, stream = this.openStreams.at(-1)!): void {
    const data = JSON.stringify({ notification: item, unread_count })
    stream.write(`id: ${id}\nevent: notification.created\ndata: ${data}\n\n`)
  }

  updated(id: number, data: object, stream = this.openStreams.at(-1)!): void {
    stream.write(`id: ${id}\nevent: notification.updated\ndata: ${JSON.stringify(data)}\n\n`)
  }

  preferencesChanged(stream = this.openStreams.at(-1)!): void {
    stream.write('id: 0\nevent: preferences.changed\ndata: {}\n\n')
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming
    const path = url.replace('/api/v1', '')
    const text = (await incoming.toArray()).join('')
    const request = {
      method,
      path,
      token: (headers.authorization ?? '').replace('Bearer ', ''),
      lastEventId: headers['last-event-id'] as string | undefined,
      body: text && JSON.parse(text),
    }
    this.requests.push(request)
    if (await this.answer(request, response)) return
    if (path === '/in-app/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      this.streams.push(response)
    } else if (method === 'GET') {
      const body = { unread_count: this.unread, notifications: this.items, next_cursor: null }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    } else response.writeHead(204).end()
  }
}

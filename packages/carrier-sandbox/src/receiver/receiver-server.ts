import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ReceivedLog } from './received-log.ts'

export interface Receiver {
  /** Without a trailing slash. */
  url: string
  stop(): void
}

interface ReceiverOptions {
  host: string
  port: number
  certFile: string
  keyFile: string
}

const slowMs = 2000

/** A receiver of webhooks whose path chooses the answer: `/ok…`, `/500…` and other states, `/hang…`, `/slow…`. */
export async function startReceiver(
  log: ReceivedLog,
  { host, port, certFile, keyFile }: ReceiverOptions,
): Promise<Receiver> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)])
  const server = createServer({ cert, key, keepAliveTimeout: 65_000 }, (request, response) => {
    receive(log, request, response).catch(() => response.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `https://${host}:${taken}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function receive(log: ReceivedLog, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const path = request.url ?? '/'
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  log.add(path, headers, body)
  if (path.startsWith('/hang')) return
  if (path.startsWith('/slow')) await new Promise((resolve) => setTimeout(resolve, slowMs))
  const [, status] = /^\/([2-5]\d\d)(?!\d)/.exec(path) ?? []
  response.writeHead(Number(status ?? 200), { 'content-type': 'text/plain' }).end(status ? `as asked: ${status}` : 'ok')
}

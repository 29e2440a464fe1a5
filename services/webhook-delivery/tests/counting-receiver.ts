import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestEnv } from '@notify/dev-env'

export interface CountingReceiver {
  /** `https://127.0.0.1:<port>` */
  url: string
  /** How many requests bore each message id. */
  requests: Map<string, number>
  /** Requests to each path that wait for their answer. */
  open: Map<string, number>
  /** Most of them that each path had at once. */
  most: Map<string, number>
  stop(): void
}

const answerMs = 20

/** A receiver that counts: `/hang…` never answers, `/500…` fails, every other path answers 200. */
export async function startCountingReceiver(env: TestEnv): Promise<CountingReceiver> {
  const requests = new Map<string, number>()
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  const count = (counts: Map<string, number>, key: string, by: number) => counts.set(key, (counts.get(key) ?? 0) + by)
  const { cert, key } = env.stack.wiring.certificates.server
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
    const path = request.url ?? '/'
    count(requests, String(request.headers['x-svc-id']), 1)
    count(open, path, 1)
    most.set(path, Math.max(open.get(path) ?? 0, most.get(path) ?? 0))
    let isOpen = true
    const close = () => {
      if (isOpen) count(open, path, -1)
      isOpen = false
    }
    response.on('close', close)
    request.resume().on('end', () => {
      if (path.startsWith('/hang')) return
      setTimeout(() => {
        // Before the client learns of it: its next request may come before this response's own end.
        close()
        response.writeHead(path.startsWith('/500') ? 500 : 200).end('ok')
      }, answerMs)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    open,
    most,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

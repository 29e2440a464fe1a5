import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { types } from 'node:util'
import type { Answer } from './fixture.ts'

const ends: (() => unknown)[] = []

/** Ends what a test has started. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
}

/** A carrier that answers by this. @returns its URL, and the URLs that were called */
export async function carrierBy(listener: RequestListener) {
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    calls.push(request.url ?? '')
    await request.toArray()
    listener(request, response)
  })
  ends.push(() => server.closeAllConnections())
  return { url: `http://127.0.0.1:${await portOf(server)}`, calls }
}

/** A carrier whose every answer is this one. */
export function carrierThatAnswers({ status, headers = {}, body }: Answer) {
  const isText = typeof body === 'string'
  return carrierBy((_request, response) =>
    response
      .writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
      .end(isText ? body : JSON.stringify(body)),
  )
}

/** A carrier behind TLS whose handshake gets no further than this. */
export async function handshakeThat(meet: (socket: Socket) => unknown): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => meet(socket))
  })
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
  })
  return `https://127.0.0.1:${await portOf(server)}`
}

async function portOf(server: Server | TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Jest's realm makes SDKs not recognise Node's errors, so that they hide their codes; outside Jest they do. */
export function recognizeErrorsOfNode(): void {
  Object.defineProperty(Error, Symbol.hasInstance, {
    configurable: true,
    value(this: unknown, error: unknown) {
      return this === Error ? types.isNativeError(error) : Function.prototype[Symbol.hasInstance].call(this, error)
    },
  })
}

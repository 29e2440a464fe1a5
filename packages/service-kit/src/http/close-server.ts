import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { afterNextPoll } from '../loop-turns.ts'
import type { OpenResponses } from './open-responses.ts'

/** Refuses new connections, closes idle ones, and waits until the requests in progress have their whole responses. */
export async function closeServer(server: Server, responses: OpenResponses): Promise<void> {
  // For Node a connection is idle as soon as its response has ended, and closing it would lose what is not written yet.
  const closeIdle = () => {
    if (!responses.areFlushing) server.closeIdleConnections()
  }
  // It is idle only when what has arrived was read: closing it would lose a request.
  await afterNextPoll()
  await new Promise<void>((resolve) => {
    // Connections that become idle during the drain would stay open for their keep-alive time.
    const timer = setInterval(() => setImmediate(closeIdle), 50)
    // The `close` of the HTTP server closes idle connections, too.
    NetServer.prototype.close.call(server, () => {
      clearInterval(timer)
      resolve()
    })
    closeIdle()
  })
}

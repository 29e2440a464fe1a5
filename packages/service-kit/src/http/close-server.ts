import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { afterNextPoll } from '../loop-turns.ts'
import type { OpenResponses } from './open-responses.ts'

/** Refuses new connections, closes idle ones, and waits until the responses to requests in progress are sent completely. */
export async function closeServer(
  server: Server,
  responses: OpenResponses,
  closeIdleConnections: () => void,
): Promise<void> {
  // Node treats a connection as idle as soon as its response has ended. Closing it then would lose data that is not written
  // yet.
  const closeIdle = () => {
    if (!responses.areFlushing) closeIdleConnections()
  }
  // A connection is idle only after the data that has arrived was read; otherwise closing it could lose a request.
  await afterNextPoll()
  await new Promise<void>((resolve) => {
    // Connections that become idle during the drain would stay open for their keep-alive time.
    const timer = setInterval(() => setImmediate(closeIdle), 50)
    // The `close` of the HTTP server would also close idle connections.
    NetServer.prototype.close.call(server, () => {
      clearInterval(timer)
      resolve()
    })
    closeIdle()
  })
}

import type { Socket } from 'node:net'

/**
 * Connections that clients opened in advance: no byte arrived in the time that headers may take. A pool keeps them as it keeps
 * idle ones: a 408 would answer its next request. Node does not count them among its idle connections.
 */
export class UnusedConnections {
  readonly #sockets = new Set<Socket>()

  /** Leaves the connection open; `idleMs` without traffic raise the server's `timeout` event. */
  keep(socket: Socket, idleMs: number): void {
    this.#sockets.add(socket)
    socket.setTimeout(idleMs).once('close', () => this.#sockets.delete(socket))
  }

  /** Closes those on which still nothing has arrived. */
  close(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterNextPoll } from '../loop-turns.ts'

interface Limits {
  headersMs: number
  checkMs: number
  idleMs: number
  silenceMs: number
  /** Age from which an unused connection is closed to make room. */
  roomMs: number
}

/**
 * Connections without a request so far. A pool opens some in advance and keeps them as it keeps idle ones: a 408 would answer
 * its next request. Node judges such a connection once, and does not count it among its idle connections.
 */
export class UnusedConnections {
  /** By their age, with the times of their opening and of their first byte. */
  readonly #connections = new Map<Socket, { openedMs: number; begunMs?: number }>()
  readonly #server: Server
  readonly #limits: Limits
  #isMakingRoom = false

  /** Each is left open for `headersMs` and `idleMs` without a byte; then the server's `timeout` event closes it. */
  constructor(server: Server, limits: Limits) {
    this.#server = server
    this.#limits = limits
    server.on('connection', (socket) => {
      this.#connections.set(socket, { openedMs: performance.now() })
      socket.setTimeout(limits.headersMs + limits.idleMs).once('close', () => this.#connections.delete(socket))
    })
    server.prependListener('request', ({ socket }) => this.#use(socket))
    server.on('drop', () => this.#makeRoom())
    const timer = setInterval(() => this.#closeBegun(), limits.checkMs).unref()
    server.once('close', () => clearInterval(timer))
  }

  /** Closes those without a byte, except the newest, whose request may be on its way. @returns how many */
  close(): number {
    const untilMs = performance.now() - this.#limits.roomMs
    let closed = 0
    for (const [socket, { openedMs }] of this.#connections) {
      if (openedMs > untilMs) break
      if (socket.bytesRead > 0) continue
      socket.destroy()
      this.#connections.delete(socket)
      closed += 1
    }
    return closed
  }

  #use(socket: Socket): void {
    if (this.#connections.delete(socket)) socket.setTimeout(this.#limits.silenceMs)
  }

  /** Closes idle connections, whose callers have used them, only when none is unused. */
  async #makeRoom(): Promise<void> {
    if (this.#isMakingRoom) return
    this.#isMakingRoom = true
    await afterNextPoll()
    this.#isMakingRoom = false
    if (this.close() === 0) this.#server.closeIdleConnections()
  }

  /** Node answers headers that do not end in their time, but may overlook line ends, which begin no headers. */
  #closeBegun(): void {
    const nowMs = performance.now()
    const longestMs = this.#server.headersTimeout + 2 * this.#limits.checkMs
    for (const [socket, connection] of this.#connections) {
      if (socket.bytesRead === 0) continue
      connection.begunMs ??= nowMs
      // One that was answered 408 is closed soon.
      if (nowMs - connection.begunMs > longestMs && !socket.writableEnded) socket.destroy()
    }
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Take = (request: IncomingMessage, response: ServerResponse) => void

interface Limits {
  /** How many requests of a connection may wait behind the one that is answered. */
  maxWaiting: number
  /** How long a finished answer may stay unread, in milliseconds. */
  maxUnreadMs: number
}

/**
 * Takes the requests of a connection one by one: the next when the answer to the last has gone out. So whoever sends
 * request after request (pipelining, RFC 9112 9.3.2) and reads nothing holds one answer in memory, not a thousand.
 */
export function inTurn(take: Take, limits: Limits): Take {
  const waiting = new WeakMap<Socket, Parameters<Take>[]>()
  // Shared by all answers: this runs for each request, and two closures more would be a tenth of the cost of a small one.
  function judgeReader(this: ServerResponse) {
    closeUnread(this.req.socket, this, limits.maxUnreadMs)
  }
  function takeNext(this: ServerResponse) {
    const { socket } = this.req
    const next = waiting.get(socket)?.shift()
    if (next === undefined) waiting.delete(socket)
    else if (!socket.destroyed) begin(...next)
  }
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    response.on('prefinish', judgeReader)
    response.on('close', takeNext)
    take(request, response)
  }
  return (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    const line = waiting.get(socket)
    if (line === undefined) {
      waiting.set(socket, [])
      begin(request, response)
    } else if (line.length < limits.maxWaiting && request.headers['transfer-encoding'] === undefined) {
      line.push([request, response])
    } else {
      // A body in chunks may come as half a million pieces, which nobody takes before its turn.
      abandon(socket)
    }
  }
}

/** Closes the connection, and stops its parser: it would make a thousand requests more of what it has read already. */
function abandon(socket: Socket & { parser?: { onIncoming?: () => number } | null }): void {
  // What Node itself returns for an upgrade: the rest is no HTTP.
  if (socket.parser) socket.parser.onIncoming = () => 2
  socket.destroy()
}

/** A reader that stands still is found by the socket's timeout; this one reads, byte by byte. */
function closeUnread(socket: Socket, response: ServerResponse, maxUnreadMs: number): void {
  if (socket.writableLength === 0) return
  const timer = setTimeout(() => socket.destroy(), maxUnreadMs)
  response.once('close', () => clearTimeout(timer))
}

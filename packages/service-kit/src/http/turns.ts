import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { OpenResponses } from './open-responses.ts'

type Take = (request: IncomingMessage, response: ServerResponse) => void

interface Limits {
  /** Most pipelined requests waiting on a connection. */
  maxWaiting: number
  /** Time that a finished response may stay unread, in milliseconds. */
  maxUnreadMs: number
}

/**
 * Processes the requests of a connection one at a time, each after the response to the last was sent. So a caller that
 * pipelines requests (RFC 9112, 9.3.2) and reads nothing causes only one response in memory.
 */
export function inTurn(take: Take, limits: Limits, responses: OpenResponses): Take {
  const waiting = new WeakMap<Socket, Parameters<Take>[]>()
  // Shared by all responses: two closures per request would be a tenth of the cost of a small one.
  function judgeReader(this: ServerResponse) {
    closeUnread(this.req.socket, this, limits.maxUnreadMs)
  }
  function takeNext(this: ServerResponse) {
    const { socket } = this.req
    responses.remove(this)
    const next = waiting.get(socket)?.shift()
    if (next === undefined) waiting.delete(socket)
    else if (!socket.destroyed) begin(...next)
  }
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    response.on('prefinish', judgeReader)
    response.on('close', takeNext)
    responses.add(response)
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
      // A chunked body may consist of half a million pieces, and is not read before its turn.
      abandon(socket)
    }
  }
}

/** Closes the connection and stops its parser, which would otherwise emit the requests that it has already read. */
function abandon(socket: Socket & { parser?: { onIncoming?: () => number } | null }): void {
  // The value that stands for an upgrade: Node then treats the rest as not HTTP.
  if (socket.parser) socket.parser.onIncoming = () => 2
  socket.destroy()
}

/** Closes the connection of a reader that reads byte by byte; the socket's timeout detects only readers that stop. */
function closeUnread(socket: Socket, response: ServerResponse, maxUnreadMs: number): void {
  if (socket.writableLength === 0) return
  const timer = setTimeout(() => socket.destroy(), maxUnreadMs)
  response.once('close', () => clearTimeout(timer))
}

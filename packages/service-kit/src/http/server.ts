import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ErrorCode } from '@notify/contracts'
import express, { type Express } from 'express'
import type { Lifecycle } from '../lifecycle.ts'
import type { Logger } from '../logger.ts'
import { Problem } from '../problem.ts'
import type { ExactRoutes } from './exact-routes.ts'
import { hasBody } from './read-body.ts'
import { sendProblem } from './reply.ts'
import { requestIdOf } from './request-id.ts'
import { invalidTarget, readTarget } from './request-target.ts'
import { inTurn } from './turns.ts'

/** Headers of a request may take this many bytes in all. */
export const maxHeaderBytes = 8 * 1024

/** How long and how much a connection may take. What is still under way when an answer streams is not bounded by them. */
export interface ServerLimits {
  /** From the first byte of a request, or the connection, to the end of its headers. */
  headersMs: number
  /** From the first byte of a request to the end of its body. */
  requestMs: number
  /** How often the two are checked: they last so much longer at most. */
  checkMs: number
  /** How long an idle connection is kept; longer than load balancers keep theirs. */
  idleMs: number
  /** How long nothing may move on a connection whose request is under way; longer than `requestMs`, which answers 408. */
  silenceMs: number
  maxUnreadMs: number
  maxWaiting: number
  maxRequests: number
  maxConnections: number
  /** How long a refused caller may take to read why before the connection is closed. */
  lingerMs: number
}

export const serverLimits: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 1000,
  idleMs: 65_000,
  silenceMs: 35_000,
  maxUnreadMs: 60_000,
  maxWaiting: 16,
  maxRequests: 10_000,
  maxConnections: 10_000,
  lingerMs: 2000,
}

/** An Express application without what costs time and says too much. */
export function createApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  return app
}

interface ListenOptions {
  host: string
  port: number
  docsUrl: string
  /** Told of what is refused before any route sees it. */
  refused?(code: ErrorCode): void
  limits?: ServerLimits
}

/**
 * Listens, and registers the drain: no new connections, idle ones closed, requests under way answered.
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function listen(
  { app, exact }: { app: Express; exact?: ExactRoutes },
  { host, port, docsUrl, refused = () => {}, limits = serverLimits }: ListenOptions,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<{ server: Server; port: number }> {
  const refuse = (request: IncomingMessage, response: ServerResponse, problem: Problem) => {
    request.resume()
    refused(problem.code)
    const requestId = requestIdOf(request.headers['x-request-id'])
    sendProblem(response, problem, { requestId, docsUrl, headers: { 'x-request-id': requestId, connection: 'close' } })
  }
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: limits.idleMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      // Node would answer without a body.
      requireHostHeader: false,
      // Of two credentials or media types none counts; Node would pass over the second.
      joinDuplicateHeaders: true,
    },
    inTurn((request, response) => {
      const problem = problemOfFraming(request) ?? readTarget(request) ?? problemOfBody(request)
      if (problem) return refuse(request, response, problem)
      const take = exact?.find(request) ?? app
      take(request, response)
    }, limits),
  )
  server.timeout = limits.silenceMs
  server.maxRequestsPerSocket = limits.maxRequests
  server.maxConnections = limits.maxConnections
  // Whoever holds connections and does nothing makes room for whoever comes.
  server.on('drop', () => server.closeIdleConnections())
  // Closing at once would take the answer along; without an end the caller alone would decide when.
  const linger = (socket: Socket) => setTimeout(() => socket.destroy(), limits.lingerMs).unref()
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    refuse(request, response, new Problem('expectation_failed', 'Of the header Expect only 100-continue is understood'))
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    endWith(invalidTarget('of CONNECT names a tunnel, and this server is no proxy'), socket, { docsUrl, refused })
    linger(socket)
  })
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
    refuseUnreadable(error, socket, { docsUrl, refused })
    linger(socket)
  })
  server.listen(port, host)
  await once(server, 'listening')
  lifecycle.onStop('http', () => close(server))
  const actual = (server.address() as AddressInfo).port
  log.info({ host, port: actual }, 'listening')
  return { server, port: actual }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A connection that falls idle during the drain would otherwise stay open for its keep-alive time.
    const timer = setInterval(() => server.closeIdleConnections(), 50)
    server.close(() => {
      clearInterval(timer)
      resolve()
    })
  })
}

/** What the parser lets pass and no route could make sense of. */
function problemOfFraming({ headers, httpVersion }: IncomingMessage): Problem | undefined {
  if (headers.host === undefined && httpVersion === '1.1') {
    return new Problem('invalid_header', 'A request of HTTP/1.1 needs a Host header')
  }
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding === 'chunked' || coding.toLowerCase() === 'chunked') return undefined
  return new Problem('transfer_coding_unknown', 'Of the transfer codings only chunked is understood')
}

const withoutBody = new Set(['GET', 'HEAD', 'DELETE'])

/** Such a body means nothing (RFC 9110 9.3.1, 9.3.5): its sender expects an effect that it would not have. */
function problemOfBody(request: IncomingMessage): Problem | undefined {
  if (!withoutBody.has(request.method ?? '') || !hasBody(request)) return undefined
  return new Problem('unexpected_body', `A ${request.method} request must not have a body; use path and query`)
}

type Refusing = Required<Pick<ListenOptions, 'docsUrl' | 'refused'>>

/** Answers what the HTTP parser refuses, before any route sees it. */
function refuseUnreadable(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
  options: Refusing,
): void {
  if (error.code === 'ECONNRESET') socket.destroy()
  else endWith(problemOfParser(error), socket, options)
}

/** Answers on the bare socket and ends it. */
function endWith(problem: Problem, socket: Socket, { docsUrl, refused }: Refusing): void {
  // Bytes after an answer would be taken for the answer to the next request.
  if (!socket.writable || hasAnswered(socket)) {
    socket.destroy()
    return
  }
  refused(problem.code)
  const requestId = requestIdOf(undefined)
  const body = JSON.stringify({
    type: `${docsUrl}/errors/${problem.code}`,
    ...problem.toBody(),
    request_id: requestId,
  })
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.toBody().title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Whether an answer to the request under way has begun. */
function hasAnswered(socket: Socket): boolean {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent ?? false
}

/** What the parser calls a control character, and a lone carriage return, in a header's value. */
const valueFaults = new Set(['HPE_INVALID_HEADER_TOKEN', 'HPE_LF_EXPECTED'])

function problemOfParser(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): Problem {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('header_too_large', `The request's headers may have at most ${maxHeaderBytes} bytes in all`)
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('request_timeout', 'The request did not arrive in time; send it again at once and whole')
  }
  if (valueFaults.has(error.code ?? '') && spoilsIdempotencyKey(error.rawPacket)) {
    return new Problem(
      'invalid_idempotency_key',
      'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces',
    )
  }
  return new Problem('invalid_header', 'The request is not valid HTTP/1.1; check the request line and headers')
}

/** The parser does not say which header it refused; a control character in this one has an error of its own. */
function spoilsIdempotencyKey(packet: Buffer | undefined): boolean {
  const line = packet && /\r\nidempotency-key:([^\n]*?)(?:\r\n|\n|$)/i.exec(packet.toString('latin1'))
  return !!line && /[\x00-\x08\x0b-\x1f\x7f]/.test(line[1]!)
}

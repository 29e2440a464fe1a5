import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ErrorCode } from '@notify/contracts'
import express, { type Express } from 'express'
import type { Lifecycle } from '../lifecycle.ts'
import type { Logger } from '../logger.ts'
import { Problem } from '../problem.ts'
import { closeServer } from './close-server.ts'
import type { ExactRoutes } from './exact-routes.ts'
import { excuseStandstills } from './excuse-standstills.ts'
import { listenOn } from './listen-on.ts'
import { OpenResponses } from './open-responses.ts'
import { hasBody } from './read-body.ts'
import { noStore, sendProblem } from './reply.ts'
import { answerHeaders, requestIdOf } from './request-id.ts'
import { invalidTarget, readTarget } from './request-target.ts'
import { inTurn } from './turns.ts'
import { UnusedConnections } from './unused-connections.ts'

/** Maximum size of the headers of a request, in bytes. */
export const maxHeaderBytes = 8 * 1024

/** Time and size limits of a connection. They do not apply to a response that is being streamed. */
export interface ServerLimits {
  /** From the first byte of a request to the end of its headers. */
  headersMs: number
  /** From the first byte of a request to the end of its body. */
  requestMs: number
  /** Interval at which both are checked, and so their inaccuracy. */
  checkMs: number
  /** Keep-alive time; longer than that of load balancers. A connection that was never used has `headersMs` more. */
  idleMs: number
  /** Maximum time without traffic during a request; longer than `requestMs`, so that 408 is sent first. */
  silenceMs: number
  maxUnreadMs: number
  maxWaiting: number
  maxRequests: number
  maxConnections: number
  /** Age from which a connection without a request is closed when there are too many, or the process ends. */
  roomMs: number
  /** Time for a refused caller to read the response before the connection is closed. */
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
  roomMs: 3000,
  lingerMs: 2000,
}

/** An Express application without costly or revealing defaults. */
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
  /** Called for requests refused before a route sees them. */
  refused?(code: ErrorCode): void
  limits?: ServerLimits
}

/**
 * Listens, and registers the drain: first responses close their connections, then new connections are refused, idle ones
 * closed, and the requests in progress finished.
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
    sendProblem(response, problem, {
      requestId,
      docsUrl,
      headers: { ...answerHeaders(requestId), connection: 'close' },
    })
  }
  const responses = new OpenResponses()
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: limits.idleMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      // Node would respond without a body.
      requireHostHeader: false,
      // Duplicate credentials or media types are ambiguous; Node would silently ignore the second.
      joinDuplicateHeaders: true,
    },
    inTurn(
      (request, response) => {
        const problem = problemOfFraming(request) ?? readTarget(request) ?? problemOfBody(request)
        if (problem) return refuse(request, response, problem)
        const take = exact?.find(request) ?? app
        take(request, response)
      },
      limits,
      responses,
    ),
  )
  excuseStandstills(server, limits)
  server.timeout = limits.silenceMs
  server.maxRequestsPerSocket = limits.maxRequests
  server.maxConnections = limits.maxConnections
  const unused = new UnusedConnections(server, limits)
  const closeIdle = () => {
    server.closeIdleConnections()
    unused.close()
  }
  // Closing at once could lose the response; without a timeout the caller could keep the connection open.
  const linger = (socket: Socket) => setTimeout(() => socket.destroy(), limits.lingerMs).unref()
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    refuse(
      request,
      response,
      new Problem('expectation_failed', 'The only supported value of the Expect header is 100-continue'),
    )
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    endWith(invalidTarget('of CONNECT names a tunnel, and this server is no proxy'), socket, { docsUrl, refused })
    linger(socket)
  })
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
    // It is among the unused connections.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return
    refuseUnreadable(error, socket, { docsUrl, refused })
    linger(socket)
  })
  await listenOn(server, { host, port })
  lifecycle.onDrain(() => responses.drain())
  lifecycle.onStop('http', () => closeServer(server, responses, closeIdle))
  const actual = (server.address() as AddressInfo).port
  log.info({ host, port: actual }, 'listening')
  return { server, port: actual }
}

/** Requests that the parser accepts but no route can handle. */
function problemOfFraming({ headers, httpVersion }: IncomingMessage): Problem | undefined {
  if (headers.host === undefined && httpVersion === '1.1') {
    return new Problem('invalid_header', 'HTTP/1.1 requests require a Host header')
  }
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding === 'chunked' || coding.toLowerCase() === 'chunked') return undefined
  return new Problem('transfer_coding_unknown', 'The only supported transfer coding is chunked')
}

const withoutBody = new Set(['GET', 'HEAD', 'DELETE'])

/**
 * Such a body has no meaning (RFC 9110, 9.3.1 and 9.3.5). It is refused, so that the sender learns that it has no effect.
 */
function problemOfBody(request: IncomingMessage): Problem | undefined {
  if (!withoutBody.has(request.method ?? '') || !hasBody(request)) return undefined
  return new Problem(
    'unexpected_body',
    `A ${request.method} request must not have a body; use path and query parameters`,
  )
}

type Refusing = Required<Pick<ListenOptions, 'docsUrl' | 'refused'>>

/** Responds to requests that the HTTP parser refuses. */
function refuseUnreadable(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
  options: Refusing,
): void {
  if (error.code === 'ECONNRESET') socket.destroy()
  else endWith(problemOfParser(error), socket, options)
}

/** Responds on the bare socket and closes it. */
function endWith(problem: Problem, socket: Socket, { docsUrl, refused }: Refusing): void {
  // After a response has started, further bytes would be read as the response to the next request.
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
  const headers = Object.entries({
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    ...answerHeaders(requestId),
    ...noStore,
    connection: 'close',
  })
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${problem.status} ${problem.toBody().title}\r\n${lines.join('')}\r\n${body}`)
}

/** Whether a response to the current request has started. */
function hasAnswered(socket: Socket): boolean {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent ?? false
}

/** Parser errors for control characters and lone carriage returns in header values. */
const valueFaults = new Set(['HPE_INVALID_HEADER_TOKEN', 'HPE_LF_EXPECTED'])

function problemOfParser(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): Problem {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('header_too_large', `The request headers may have at most ${maxHeaderBytes} bytes in total`)
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('request_timeout', 'The request did not arrive in time; send it again')
  }
  if (valueFaults.has(error.code ?? '') && spoilsIdempotencyKey(error.rawPacket)) {
    return new Problem(
      'invalid_idempotency_key',
      'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces',
    )
  }
  return new Problem('invalid_header', 'The request is not valid HTTP/1.1; check the request line and headers')
}

/** The parser does not name the faulty header; a control character in this one has its own error code. */
function spoilsIdempotencyKey(packet: Buffer | undefined): boolean {
  const line = packet && /\r\nidempotency-key:([^\n]*?)(?:\r\n|\n|$)/i.exec(packet.toString('latin1'))
  return !!line && /[\x00-\x08\x0b-\x1f\x7f]/.test(line[1]!)
}

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import {
  type BodyShare,
  createPeerPool,
  type Door,
  hasBody,
  internalProblem,
  Problem,
  principalHeader,
  readBody,
  requestIdOf,
  sendProblem,
  traceparentOf,
  type WholeAnswer,
} from '@notify/service-kit'
import type { RequestHandler } from 'express'
import type { FailureLimit } from '../limits/limit-failures.ts'

/** Headers that concern one connection only (RFC 9110 7.6.1), and the one that outsiders may not send. */
const notForwarded = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  principalHeader,
]

/** The largest body that any carrier sends; each route of callbacks has its own limit below. */
const maxBodyBytes = 512 * 1024
/** Callers have an answer within 8 s. */
const timeoutMs = 7000
/** Connections for everybody, and those that the addresses which fail all the time share. */
const connections = { usual: 64, narrow: 4 }

interface Target {
  url: string
  addressOf(request: IncomingMessage): string
  failures: FailureLimit
}

/**
 * Passes requests to a service that verifies its own callers, bytes untouched: a carrier's signature covers them. A body is
 * read whole before a connection is taken, so that slow senders hold none. An address that fails all the time is still
 * heard, for carriers share theirs with strangers, but over few connections.
 */
export function passCallbacks(door: Door, { url, addressOf, failures }: Target): RequestHandler {
  const { origin } = new URL(url)
  const usual = createPeerPool(origin, connections.usual)
  const narrow = createPeerPool(origin, connections.narrow)
  const pass = async (request: IncomingMessage & { originalUrl: string }, requestId: string, share: BodyShare) => {
    const body = hasBody(request) ? await readBody(request, maxBodyBytes, share) : null
    // It stays in memory until it is answered.
    if (body && !share.take(body.length)) throw new Problem('service_unavailable', 'Too many callbacks are under way')
    const span = door.tracer.start('pass callback', {
      parent: traceparentOf({ headers: request.headers, url: request.originalUrl }),
      edge: true,
    })
    const headers = forwarded({ ...request.headers, 'x-request-id': requestId })
    if (span.traceparent) headers.traceparent = span.traceparent
    const address = addressOf(request)
    const method = request.method as 'POST'
    try {
      const pool = failures.isOver(address) ? narrow : usual
      const answer = await pool.exchange({ method, path: request.originalUrl, headers, body }, timeoutMs)
      span.end()
      if (answer.statusCode >= 400 && answer.statusCode < 500) failures.count(address)
      return answer
    } catch (error) {
      span.end(error)
      if (error instanceof Problem) throw error
      throw new Problem('service_unavailable', 'A part of the service does not answer; try again shortly')
    }
  }
  return async (request, response) => {
    const requestId = requestIdOf(request.headers['x-request-id'])
    const share = door.shareOf?.(request) ?? unlimited
    try {
      write(response, await pass(request, requestId, share))
    } catch (error) {
      if (!request.readableEnded) request.resume()
      const problem = error instanceof Problem ? error : internalProblem(error)
      door.refused(problem.code)
      sendProblem(response, problem, { requestId, docsUrl: door.docsUrl, headers: { 'x-request-id': requestId } })
    } finally {
      share.release()
    }
  }
}

const unlimited: BodyShare = { take: () => true, release: () => {} }

function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name of notForwarded) delete headers[name]
  return headers
}

function write(response: ServerResponse, { statusCode, headers, text }: WholeAnswer): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(statusCode, { ...forwarded(headers), 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Route } from '@notify/contracts'
import {
  addLogFields,
  answerHeaders,
  type BodyShare,
  createPeerPool,
  type Door,
  defaultMaxBodyBytes,
  hasBody,
  internalProblem,
  Problem,
  readBody,
  requestIdOf,
  sendProblem,
  sendRead,
  traceparentOf,
  type WholeAnswer,
  withLogFields,
} from '@notify/service-kit'
import type { RequestHandler } from 'express'
import type { FailureLimit } from '../limits/limit-failures.ts'
import { forwarded, passedOn } from './hop-headers.ts'

/** Callers get a response within 8 s. */
const timeoutMs = 7000
/** Connections for all callers, and those shared by addresses that keep failing. */
const connections = { usual: 64, narrow: 4 }

type PassedRequest = IncomingMessage & { originalUrl: string }

/** A service that authenticates its own callers. */
export interface Target {
  url: string
  /** Largest body of any of its routes; the service applies the limit of each route. */
  maxBodyBytes: number
  addressOf(request: IncomingMessage): string
  failures: FailureLimit
  /** Whether a response counts as a failed request of the address. */
  isFailure(status: number): boolean
  /** Whether the service's requests are all safe to repeat, not only those that read. */
  idempotent: boolean
}

/**
 * Proxies requests unchanged, because signatures cover the bytes. Reads are compressed for callers that accept it.
 * Failing addresses share few connections but are not blocked: carriers share addresses with others.
 */
export function passThrough(door: Door, target: Target): RequestHandler {
  const { maxBodyBytes, addressOf, failures, isFailure } = target
  const { origin } = new URL(target.url)
  const usual = createPeerPool(origin, connections.usual)
  const narrow = createPeerPool(origin, connections.narrow)
  const pass = async (request: PassedRequest, requestId: string, share: BodyShare) => {
    const body = hasBody(request) ? await readBody(request, maxBodyBytes, share) : null
    // The body stays in memory until the response.
    if (body && !share.take(body.length))
      throw new Problem('service_unavailable', 'Too many requests are in progress; try again shortly')
    const span = door.tracer.start('pass through', {
      parent: traceparentOf({ headers: request.headers, url: request.originalUrl }),
      edge: true,
      // In the query the trace is our own, which a carrier returns.
      outside: request.headers.traceparent !== undefined,
    })
    const headers = passedOn(request, requestId)
    addLogFields({ traceparent: span.traceparent })
    if (span.traceparent) headers.traceparent = span.traceparent
    const address = addressOf(request)
    const method = request.method as 'POST'
    try {
      const pool = failures.isOver(address) ? narrow : usual
      const idempotent = target.idempotent || isRead(request)
      const answer = await pool.exchange({ method, path: request.originalUrl, headers, body, idempotent }, timeoutMs)
      span.end()
      if (isFailure(answer.statusCode)) failures.count(address)
      return answer
    } catch (error) {
      span.end(error)
      if (error instanceof Problem) throw error
      throw new Problem('service_unavailable', 'An internal service does not respond; try again shortly')
    }
  }
  const answer = async (request: PassedRequest, response: ServerResponse, requestId: string) => {
    const share = door.shareOf?.(request) ?? unlimited
    try {
      const { statusCode, headers, text } = await pass(request, requestId, share)
      if (request.method === 'GET' && statusCode === 200) {
        const type = headers['content-type'] ?? 'application/json'
        await sendRead(request, response, { type, text, headers: forwarded(headers) })
      } else writeAnswer(response, { statusCode, headers, text })
    } catch (error) {
      if (!request.readableEnded) request.resume()
      const problem = error instanceof Problem ? error : internalProblem(error)
      door.refused(problem.code)
      sendProblem(response, problem, { requestId, docsUrl: door.docsUrl, headers: answerHeaders(requestId) })
    } finally {
      share.release()
    }
  }
  return (request, response) => {
    const requestId = requestIdOf(request.headers['x-request-id'])
    return withLogFields({ request_id: requestId }, () => answer(request, response, requestId))
  }
}

/** The largest body that any of the routes accepts. */
export function largestBody(routes: readonly Route[]): number {
  return Math.max(...routes.map(({ maxBodyBytes = defaultMaxBodyBytes }) => maxBodyBytes))
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

const unlimited: BodyShare = { take: () => true, release: () => {} }

export function writeAnswer(response: ServerResponse, { statusCode, headers, text }: WholeAnswer): void {
  if (response.headersSent || response.destroyed) return
  const length = statusCode === 304 ? {} : { 'content-length': Buffer.byteLength(text) }
  response.writeHead(statusCode, { ...forwarded(headers), ...length })
  response.end(text)
}

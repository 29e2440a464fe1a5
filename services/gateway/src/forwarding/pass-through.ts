import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Route } from '@notify/contracts'
import {
  addLogFields,
  type BodyShare,
  createPeerPool,
  createTenantRoom,
  type Door,
  defaultMaxBodyBytes,
  type ExchangeError,
  hasBody,
  internalProblem,
  Problem,
  readBody,
  requestIdOf,
  sendRead,
  type TenantRoomSize,
  traceparentOf,
  type WholeAnswer,
  withLogFields,
} from '@notify/service-kit'
import type { Request, RequestHandler } from 'express'
import { LRUCache } from 'lru-cache'
import type { FailureLimit } from '../limits/limit-failures.ts'
import { forwarded, passedOn } from './hop-headers.ts'
import { narrowSize } from './peers.ts'
import { routeOf, sendRefusal } from './send-refusal.ts'

/** Callers get a response within 8 s. */
const timeoutMs = 7000
/** How long a request waits for others of its owner. */
const waitMs = 6000
const maxTrusted = 10_000

type PassedRequest = IncomingMessage & { originalUrl: string }

/** A service that authenticates its own callers. */
export interface Target {
  url: string
  /** Connections for all callers, and the most that one owner takes. */
  size: TenantRoomSize
  /** Largest body of any of its routes; the service applies the limit of each route. */
  maxBodyBytes: number
  addressOf(request: IncomingMessage): string
  /** What a request is about, by its URL: owners of requests from one address take turns. Without it, each address is one. */
  subjectOf?(url: string): string | undefined
  /** The tenant that a request names, not verified. It owns the request unless the address keeps failing. */
  tenantOf?(request: IncomingMessage): string | undefined
  failures: FailureLimit
  /** Whether a response counts as a failed request of the address. */
  isFailure(status: number): boolean
  /** Whether pages call the service. */
  ofPages: boolean
  /** Whether the service's requests are all safe to repeat, not only those that read. */
  idempotent: boolean
}

/**
 * Proxies requests unchanged, because signatures cover the bytes. Reads are compressed for callers that accept it.
 * Failing addresses share few connections but are not blocked: carriers share addresses with others. Owners take turns.
 */
export function passThrough(door: Door, target: Target): RequestHandler {
  const { maxBodyBytes, size: usualSize, addressOf, subjectOf, tenantOf, failures, isFailure, ofPages } = target
  const { origin } = new URL(target.url)
  const connect = (size: TenantRoomSize) => ({ room: createTenantRoom(size), pool: createPeerPool(origin, size.most) })
  const [usual, narrow] = [connect(usualSize), connect(narrowSize)]
  /** Senders whose last request succeeded: the failures of others at their address do not count against them. */
  const trusted = new LRUCache<string, true>({ max: maxTrusted })
  const pass = async (request: PassedRequest, requestId: string, share: BodyShare) => {
    const body = hasBody(request) ? await readBody(request, maxBodyBytes, share) : null
    // The body stays in memory until the response.
    if (body && !share.take(body.length)) throw tooMany()
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
    const subject = subjectOf?.(request.originalUrl)
    const sender = subject === undefined ? address : `${address} ${subject}`
    const method = request.method as 'POST'
    const untilMs = performance.now() + timeoutMs
    try {
      const isNarrow = failures.isOver(address) && !trusted.has(sender)
      const { pool, room } = isNarrow ? narrow : usual
      const tenantId = isNarrow ? undefined : tenantOf?.(request)
      const owner = tenantId === undefined ? sender : `tenant ${tenantId}`
      const leave = await room(owner, performance.now() + waitMs)
      if (!leave) throw tooMany()
      const idempotent = target.idempotent || isRead(request)
      const sent = { method, path: request.originalUrl, headers, body, idempotent }
      const answer = await pool.exchange(sent, untilMs - performance.now()).finally(leave)
      span.end()
      const failed = isFailure(answer.statusCode)
      if (failed) trusted.delete(sender)
      else if (subject !== undefined) trusted.set(sender, true)
      if (failed) failures.count(address)
      return answer
    } catch (error) {
      span.end(error)
      if (error instanceof Problem) throw error
      const { hasLeft, code, message } = error as ExchangeError
      const isAmbiguous = hasLeft && !isRead(request)
      throw new Problem('service_unavailable', isAmbiguous ? mayHaveTakenEffect : noResponse, {
        cause: new Error(`${origin} did not answer ${method}: ${code ?? message}`),
        mayHaveTakenEffect: isAmbiguous,
      })
    }
  }
  const answer = async (request: Request, response: ServerResponse, requestId: string) => {
    const startedMs = performance.now()
    // A token is verified only with the whole body: it may not take the share of the tenant that it names.
    const share = door.shareOf?.(request, undefined) ?? unlimited
    let status: number
    try {
      const { statusCode, headers, text } = await pass(request, requestId, share)
      status = statusCode
      if (request.method === 'GET' && statusCode === 200) {
        const type = headers['content-type'] ?? 'application/json'
        await sendRead(request, response, { type, text, headers: forwarded(headers) })
      } else writeAnswer(response, { statusCode, headers, text })
    } catch (error) {
      if (!request.readableEnded) request.resume()
      const problem = error instanceof Problem ? error : internalProblem(error)
      status = sendRefusal(door, request, response, { problem, requestId, startedMs, ofPages })
    } finally {
      share.release()
    }
    door.observe(request.method, routeOf(request), status, (performance.now() - startedMs) / 1000)
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

const noResponse = 'An internal service does not respond; try again shortly'
/** Users send no Idempotency-Key. */
const mayHaveTakenEffect =
  'An internal service did not respond in time, and the request may have taken effect; look before you repeat it'

const tooMany = () =>
  new Problem('service_unavailable', 'Too many requests are in progress; try again shortly', {
    headers: { 'Retry-After': '1' },
  })

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

const unlimited: BodyShare = { take: () => true, release: () => {} }

export function writeAnswer(response: ServerResponse, { statusCode, headers, text }: WholeAnswer): void {
  if (response.headersSent || response.destroyed) return
  // The length is that of the answer to GET, of which these have no part; 204 has none at all (RFC 9110, 8.6).
  const isBare = statusCode === 204 || statusCode === 304 || response.req.method === 'HEAD'
  const length = isBare ? {} : { 'content-length': Buffer.byteLength(text) }
  response.writeHead(statusCode, { ...forwarded(headers), ...length })
  response.end(text)
}

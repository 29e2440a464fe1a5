import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type BodyShare,
  createPeerPool,
  type Door,
  hasBody,
  internalProblem,
  Problem,
  readBody,
  requestIdOf,
  sendProblem,
  traceparentOf,
  type WholeAnswer,
} from '@notify/service-kit'
import type { RequestHandler } from 'express'
import type { FailureLimit } from '../limits/limit-failures.ts'
import { forwarded } from './hop-headers.ts'

/** The largest body that any carrier sends; each route of callbacks has its own limit below. */
const maxBodyBytes = 512 * 1024
/** Callers have an answer within 8 s. */
const timeoutMs = 7000
/** Connections for everybody, and those that the addresses which fail all the time share. */
const connections = { usual: 64, narrow: 4 }

/** A service that verifies its own callers. */
export interface Target {
  url: string
  addressOf(request: IncomingMessage): string
  failures: FailureLimit
  /** Whether an answer counts as a failed call of its address. */
  isFailure(status: number): boolean
}

/**
 * Passes requests to a service that verifies its own callers, bytes untouched: a carrier's signature covers them. A body is
 * read whole before a connection is taken, so that slow senders hold none. An address that fails all the time is still
 * heard, for carriers share theirs with strangers, but over few connections.
 */
export function passThrough(door: Door, { url, addressOf, failures, isFailure }: Target): RequestHandler {
  const { origin } = new URL(url)
  const usual = createPeerPool(origin, connections.usual)
  const narrow = createPeerPool(origin, connections.narrow)
  const pass = async (request: IncomingMessage & { originalUrl: string }, requestId: string, share: BodyShare) => {
    const body = hasBody(request) ? await readBody(request, maxBodyBytes, share) : null
    // It stays in memory until it is answered.
    if (body && !share.take(body.length)) throw new Problem('service_unavailable', 'Too many requests are under way')
    const span = door.tracer.start('pass through', {
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
      if (isFailure(answer.statusCode)) failures.count(address)
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
      writeAnswer(response, await pass(request, requestId, share))
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

export function writeAnswer(response: ServerResponse, { statusCode, headers, text }: WholeAnswer): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(statusCode, { ...forwarded(headers), 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

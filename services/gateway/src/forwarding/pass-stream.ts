import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  answerHeaders,
  type Door,
  internalProblem,
  Problem,
  relayStream,
  requestIdOf,
  sendProblem,
  withLogFields,
} from '@notify/service-kit'
import { BulkheadRejectedError, bulkhead } from 'cockatiel'
import type { RequestHandler } from 'express'
import { forwarded, passedOn } from './hop-headers.ts'
import { type Target, writeAnswer } from './pass-through.ts'
import { logRefusal, routeOf } from './report-refusal.ts'

/** Concurrent and waiting stream requests of addresses that keep failing. */
const narrow = { opening: 4, waiting: 100 }

/**
 * Proxies event streams unchanged. Each has its own connection to the owner; when either side disconnects, the other is
 * closed at once.
 */
export function passStream(door: Door, target: Target): RequestHandler {
  const { url, addressOf, failures, isFailure, problemHeaders } = target
  const { origin } = new URL(url)
  const narrowLane = bulkhead(narrow.opening, narrow.waiting)
  const begin = async (request: IncomingMessage & { originalUrl: string }, response: ServerResponse, id: string) => {
    door.streams.requireRoom()
    const address = addressOf(request)
    const headers = passedOn(request, id)
    const asked = { method: request.method as 'GET', path: request.originalUrl, headers }
    const open = () => relayStream({ origin, request: asked, response, streams: door.streams, headersOf: forwarded })
    const refusal = failures.isOver(address) ? await narrowLane.execute(open) : await open()
    if (!refusal) return
    if (isFailure(refusal.statusCode)) failures.count(address)
    writeAnswer(response, refusal)
  }
  return async (request, response) => {
    const startedMs = performance.now()
    const requestId = requestIdOf(request.headers['x-request-id'])
    try {
      await begin(request, response, requestId)
    } catch (error) {
      const problem = problemOf(error)
      door.refused(problem.code)
      const ms = performance.now() - startedMs
      withLogFields({ request_id: requestId }, () => logRefusal(door, request, problem, ms))
      door.observe(request.method, routeOf(request), problem.status, ms / 1000)
      const headers = { ...answerHeaders(requestId), ...problemHeaders }
      sendProblem(response, problem, { requestId, docsUrl: door.docsUrl, headers })
    }
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (!(error instanceof BulkheadRejectedError)) return internalProblem(error)
  return new Problem('rate_limited', 'Too many unknown credentials from this address; try again', {
    headers: { 'Retry-After': '1' },
  })
}

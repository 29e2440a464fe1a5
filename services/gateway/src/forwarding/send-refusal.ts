import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { answerHeaders, type Door, type Problem, sendProblem } from '@notify/service-kit'
import type { Request } from 'express'

/** Lets a page of any origin read a refusal and when to come again. It holds nothing of a user, and there are no cookies. */
const readable = {
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After',
}
/** Browsers read a refusal only after a preflight request that succeeded. This answer is not cached: the owner's may differ. */
const sendable = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Last-Event-ID',
  'access-control-max-age': '0',
}

/** The path of a proxied route, as it was mounted: without what callers choose. */
export const routeOf = ({ route, baseUrl }: Request): { path: string } => ({ path: route?.path ?? baseUrl })

interface Refusal {
  problem: Problem
  requestId: string
  startedMs: number
  /** Whether pages call the route. */
  ofPages: boolean
}

/** Answers a request in place of its owner, which has not seen it or has not answered, and logs it. @returns the status */
export function sendRefusal(door: Door, request: Request, response: ServerResponse, refusal: Refusal): number {
  const { problem, requestId, startedMs, ofPages } = refusal
  const { status, code } = problem
  door.refused(code)
  const ms = Math.round(performance.now() - startedMs)
  const line = { method: request.method, path: routeOf(request).path, status, code, ms }
  if (status >= 500) door.log.error({ ...line, err: problem }, 'request failed')
  else door.log.info(line, 'request refused')
  const isOfPage = ofPages && request.headers.origin !== undefined
  const headers: OutgoingHttpHeaders = { ...answerHeaders(requestId), ...(isOfPage && readable) }
  if (isOfPage && isPreflight(request)) response.writeHead(204, { ...headers, ...sendable }).end()
  else sendProblem(response, problem, { requestId, docsUrl: door.docsUrl, headers })
  return status
}

/** @see https://fetch.spec.whatwg.org/#cors-preflight-request */
const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

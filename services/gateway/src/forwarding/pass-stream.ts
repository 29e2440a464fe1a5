import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createTenantRoom,
  type Door,
  internalProblem,
  Problem,
  relayStream,
  requestIdOf,
  withLogFields,
} from '@notify/service-kit'
import type { Request, RequestHandler } from 'express'
import { forwarded, passedOn } from './hop-headers.ts'
import { type Target, writeAnswer } from './pass-through.ts'
import { inRoom, narrowSize } from './peers.ts'
import { routeOf, sendRefusal } from './send-refusal.ts'

/**
 * Proxies event streams unchanged. Each has its own connection to the owner; when either side disconnects, the other is
 * closed at once.
 */
export function passStream(door: Door, target: Target): RequestHandler {
  const { url, addressOf, tenantOf, failures, isFailure, ofPages } = target
  const { origin } = new URL(url)
  const narrowRoom = createTenantRoom(narrowSize)
  const begin = async (request: IncomingMessage & { originalUrl: string }, response: ServerResponse, id: string) => {
    const tenantId = tenantOf?.(request)
    door.streams.requireRoom(tenantId)
    const address = addressOf(request)
    const headers = passedOn(request, id)
    const asked = { method: request.method as 'GET', path: request.originalUrl, headers }
    const relay = { origin, request: asked, response, streams: door.streams, tenantId, headersOf: forwarded }
    const open = () => relayStream(relay)
    const refusal = failures.isOver(address) ? await inRoom(narrowRoom, address, open) : await open()
    if (!refusal) return
    if (isFailure(refusal.statusCode)) failures.count(address)
    writeAnswer(response, refusal)
  }
  const answer = async (request: Request, response: ServerResponse, requestId: string) => {
    const startedMs = performance.now()
    const seconds = () => (performance.now() - startedMs) / 1000
    try {
      await begin(request, response, requestId)
      door.observe(request.method, routeOf(request), response.statusCode, seconds())
    } catch (error) {
      const problem = error instanceof Problem ? error : internalProblem(error)
      const status = sendRefusal(door, request, response, { problem, requestId, startedMs, ofPages })
      door.observe(request.method, routeOf(request), status, seconds())
    }
  }
  return (request, response) => {
    const requestId = requestIdOf(request.headers['x-request-id'])
    return withLogFields({ request_id: requestId }, () => answer(request, response, requestId))
  }
}

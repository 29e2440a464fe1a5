import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { type Door, Problem, principalHeader, requestIdOf, sendProblem, traceparentOf } from '@notify/service-kit'
import type { RequestHandler } from 'express'

/** Headers that concern one connection only (RFC 9110 7.6.1), and the one that outsiders may not send. */
const notForwarded = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
  'host',
  principalHeader,
]

/** How long the service may be silent before the caller is told to come again. */
const silenceMs = 15_000

/**
 * Passes requests to a service that verifies its own callers, bytes untouched: a carrier's signature covers them.
 */
export function streamThrough(door: Door, target: string): RequestHandler {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const { hostname, port } = new URL(target)
  return (request, response) => {
    const requestId = requestIdOf(request.headers['x-request-id'])
    const span = door.tracer.start('stream through', {
      parent: traceparentOf({ headers: request.headers, url: request.originalUrl }),
      edge: true,
    })
    const headers: IncomingHttpHeaders = { ...request.headers, 'x-request-id': requestId }
    for (const name of notForwarded) delete headers[name]
    if (span.traceparent) headers.traceparent = span.traceparent
    const outgoing = httpRequest(
      { agent, hostname, port, method: request.method, path: request.originalUrl, headers, timeout: silenceMs },
      (incoming) => {
        for (const name of notForwarded) delete incoming.headers[name]
        response.writeHead(incoming.statusCode ?? 502, incoming.headers)
        incoming.pipe(response)
        incoming.on('end', () => {
          span.end()
          if (!request.readableEnded) stopSending()
        })
        incoming.on('error', () => response.destroy())
      },
    )
    // An answer may come before the body has gone: the rest is read nevertheless, or the next request on the caller's connection
    // would wait behind it.
    const stopSending = () => {
      request.unpipe(outgoing)
      request.resume()
      outgoing.destroy()
    }
    outgoing.on('error', (error) => {
      span.end(error)
      request.resume()
      if (response.headersSent) {
        response.destroy()
        return
      }
      const problem = new Problem('service_unavailable', 'A part of the service does not answer; try again shortly', {
        headers: { 'Retry-After': '1' },
      })
      door.refused(problem.code)
      sendProblem(response, problem, { requestId, docsUrl: door.docsUrl, headers: { 'x-request-id': requestId } })
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')))
    // A caller that goes away, before or during the answer, takes the other side with it.
    response.on('close', () => {
      if (!response.writableFinished) outgoing.destroy()
    })
    request.pipe(outgoing)
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ParsedUrlQuery } from 'node:querystring'

/** A request as a route takes it, whichever router found the route. */
export interface Incoming {
  request: IncomingMessage
  response: ServerResponse
  params: Record<string, string>
  query(): ParsedUrlQuery
}

/**
 * Looks routes without parameters up by method and path; Express scans its list on every request, which doubles the
 * cost of a busy route. Everything else is left to Express.
 */
export class ExactRoutes {
  readonly #routes = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()

  add(method: string, path: string, take: (request: IncomingMessage, response: ServerResponse) => void): void {
    if (!/[:*{]/.test(path)) this.#routes.set(`${method} ${path}`, take)
  }

  find({ method, url = '' }: IncomingMessage) {
    const mark = url.indexOf('?')
    return this.#routes.get(`${method} ${mark === -1 ? url : url.slice(0, mark)}`)
  }
}

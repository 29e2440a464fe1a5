import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ParsedUrlQuery } from 'node:querystring'

/** A request as a route takes it, wherever it was routed. */
export interface Incoming {
  request: IncomingMessage
  response: ServerResponse
  params: Record<string, string>
  query(): ParsedUrlQuery
}

/**
 * Routes without parameters, found by method and path at once: Express walks through its list for every request, which costs a
 * busy route as much as its own work. Whatever is not found here, in whatever spelling, is Express's to route.
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

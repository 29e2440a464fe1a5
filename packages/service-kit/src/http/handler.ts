import type { IncomingHttpHeaders } from 'node:http'
import type { Route, RouteBody, RouteParams, RoutePrincipal, RouteQuery, RouteReply } from '@notify/contracts'
import type { Span } from '../telemetry/tracing.ts'
import type { Reply } from './reply.ts'

/** A request that passed its contract. */
export interface HttpRequest<R extends Route> {
  params: RouteParams<R>
  query: RouteQuery<R>
  body: RouteBody<R>
  principal: RoutePrincipal<R>
  idempotencyKey: string | undefined
  requestId: string
  /** Path and query as the caller wrote them. */
  url: string
  headers: IncomingHttpHeaders
  span: Span
}

/** Answers one route: returns the body, or a `Reply`, or throws a `Problem`. */
export type Handler<Context, R extends Route> = (
  context: Context,
  request: HttpRequest<R>,
) => Promise<RouteReply<R> | Reply> | RouteReply<R> | Reply

export interface RouteEntry<Context> {
  contract: Route
  handler: Handler<Context, Route>
}

/** One line of a service's `routes.ts`: a contract and the handler that answers it. */
export function route<Context, const R extends Route>(contract: R, handler: Handler<Context, R>): RouteEntry<Context> {
  return { contract, handler: handler as unknown as Handler<Context, Route> }
}

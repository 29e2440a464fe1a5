import type { IncomingHttpHeaders } from 'node:http'
import type { Route, RouteBody, RouteParams, RoutePrincipal, RouteQuery, RouteReply } from '@notify/contracts'
import type { Span } from '../telemetry/tracing.ts'
import type { Reply } from './reply.ts'

/** A request that passed its contract. */
export interface HttpRequest<R extends Route> {
  contract: R
  params: RouteParams<R>
  query: RouteQuery<R>
  body: RouteBody<R>
  /** The JSON text that `body` was read from; empty without one. */
  bodyText: string
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
  /** Whether another service judges the body's shape; the door only makes sure that it is JSON that can be stored. */
  passedOn: boolean
}

/** One line of a service's `routes.ts`: a contract and the handler that answers it. */
export function route<Context, const R extends Route>(contract: R, handler: Handler<Context, R>): RouteEntry<Context> {
  return { contract, handler: handler as unknown as Handler<Context, Route>, passedOn: false }
}

/** A request whose body goes on to the service that owns the route, as the caller wrote it. */
export interface PassedOn<R extends Route> extends Omit<HttpRequest<R>, 'body'> {
  /** What the JSON says, of whatever shape. */
  body: unknown
}

/** A line of `routes.ts` for a route of another service: the body is judged once, by its owner. */
export function passOn<Context, const R extends Route>(
  contract: R,
  handler: (context: Context, request: PassedOn<R>) => Promise<Reply>,
): RouteEntry<Context> {
  return { contract, handler: handler as unknown as Handler<Context, Route>, passedOn: true }
}

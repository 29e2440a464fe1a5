import type { IncomingHttpHeaders } from 'node:http'
import type { Route, RouteBody, RouteParams, RoutePrincipal, RouteQuery, RouteReply } from '@notify/contracts'
import type { Span } from '../telemetry/tracing.ts'
import type { Wait } from './awaited.ts'
import type { Reply } from './reply.ts'
import type { StreamedReply } from './streamed-reply.ts'

/** A validated request. */
export interface HttpRequest<R extends Route> extends Wait {
  contract: R
  params: RouteParams<R>
  query: RouteQuery<R>
  body: RouteBody<R>
  /** The JSON text of `body`; empty without a body. */
  bodyText: string
  principal: RoutePrincipal<R>
  idempotencyKey: string | undefined
  requestId: string
  /** Path and query as the caller sent them. */
  url: string
  headers: IncomingHttpHeaders
  span: Span
  /** The caller's address: see `Door`. */
  address(): string
}

/** Handles a route: returns the body, a `Reply` or a `StreamedReply`, or throws a `Problem`. */
export type Handler<Context, R extends Route> = (
  context: Context,
  request: HttpRequest<R>,
) => Promise<RouteReply<R> | Reply | StreamedReply> | RouteReply<R> | Reply | StreamedReply

export interface RouteEntry<Context> {
  contract: Route
  handler: Handler<Context, Route>
  /** Whether another service validates the body; here it is only checked to be storable JSON. */
  passedOn: boolean
  /** Whether the handler itself calls `requireAwaited` as the last step before its write. */
  checksWait?: boolean
}

/** An entry of a service's `routes.ts`: a contract and its handler. */
export function route<Context, const R extends Route>(
  contract: R,
  handler: Handler<Context, R>,
  options: Pick<RouteEntry<Context>, 'checksWait'> = {},
): RouteEntry<Context> {
  return { contract, handler: handler as unknown as Handler<Context, Route>, passedOn: false, ...options }
}

/** A request whose body is forwarded unchanged to the service that owns the route. */
export interface PassedOn<R extends Route> extends Omit<HttpRequest<R>, 'body'> {
  /** The parsed JSON, not validated. */
  body: unknown
}

/** An entry of `routes.ts` for a route of another service, which validates the body itself. */
export function passOn<Context, const R extends Route>(
  contract: R,
  handler: (context: Context, request: PassedOn<R>) => Promise<Reply>,
): RouteEntry<Context> {
  return { contract, handler: handler as unknown as Handler<Context, Route>, passedOn: true }
}

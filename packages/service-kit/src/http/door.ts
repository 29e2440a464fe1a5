import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { ErrorCode, Principal, Route, UserPrincipal } from '@notify/contracts'
import type { Logger } from '../logger.ts'
import type { Tracer } from '../telemetry/tracing.ts'
import type { BodyShare } from './body-budget.ts'
import type { OpenStreams } from './open-streams.ts'
import type { StalledReaders } from './stalled-readers.ts'

/** What the routes of a service share: authentication, limits and reporting. */
export interface Door {
  log: Logger
  tracer: Tracer
  docsUrl: string
  /** Share of the successful requests that are logged above `debug`; default none. */
  logRatio?: number
  /** Whether callers are external, so that traces may start here. */
  edge: boolean
  /** Whether sampling is decided here, and not by the `traceparent` of callers, who are external. */
  samplesItself?: boolean
  /** Authenticates API keys and operators. */
  authenticate(request: IncomingMessage, route: Route): Principal | Promise<Principal>
  /** Verifies an end user's token. @throws Problem `unauthenticated` */
  authenticateUser?(request: IncomingMessage, route: Route): UserPrincipal | Promise<UserPrincipal>
  /**
   * Headers that let a browser's page read the response, for routes of users.
   * @param caller undefined when the caller is not known
   */
  corsOf?(request: IncomingMessage, caller: UserPrincipal | undefined): Promise<OutgoingHttpHeaders>
  /**
   * Applies the rate limits; returns headers for the response.
   * @param bodyBytes length of the body, as far as it is known before reading
   * @throws Problem `rate_limited`
   */
  admit?(principal: Principal, bodyBytes: number): OutgoingHttpHeaders | Promise<OutgoingHttpHeaders>
  /**
   * Counts a body whose length became known only when it was read. Refuses nothing, because the request was admitted before.
   * @returns headers for the response
   */
  charge?(principal: Principal, bodyBytes: number): OutgoingHttpHeaders
  /**
   * The share of a request's body in the budget while it is received; if absent, bodies are not limited together.
   * @param tenantId of the caller, verified; undefined when it is not known
   */
  shareOf?(request: IncomingMessage, tenantId: string | undefined): BodyShare
  /** Longest wait of a caller in milliseconds, without the time to receive the body; then `service_unavailable`. */
  answerWithinMs?: number | undefined
  /** The open event streams of this process. */
  streams: OpenStreams
  stalledReaders: StalledReaders
  /** @param route undefined for a request without one */
  observe(method: string | undefined, route: { path: string } | undefined, status: number, seconds: number): void
  /** The caller's address, an IPv6 /64 as one; behind a trusted proxy that of its caller. */
  addressOf(request: IncomingMessage): string
  /** Counts a refusal by its code. */
  refused(code: ErrorCode): void
  /** Called for each request after its response, also for refused ones. Must be quick. */
  handled?(request: IncomingMessage, outcome: Outcome): void
}

/** A request that was responded to. */
export interface Outcome {
  /** undefined for a request without a route. */
  contract: Route | undefined
  status: number
  code: ErrorCode | undefined
  requestId: string
  ms: number
}

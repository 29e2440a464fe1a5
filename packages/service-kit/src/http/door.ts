import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { ErrorCode, Principal, Route, UserPrincipal } from '@notify/contracts'
import type { Logger } from '../logger.ts'
import type { Tracer } from '../telemetry/tracing.ts'
import type { BodyShare } from './body-budget.ts'
import type { OpenStreams } from './open-streams.ts'

/** What every route of a service has in common: who may come in, and who hears of it. */
export interface Door {
  log: Logger
  tracer: Tracer
  docsUrl: string
  /** Whether callers come from outside, so that traces may begin here. */
  edge: boolean
  /** Finds out who calls, for routes of API keys and operators. */
  authenticate(request: IncomingMessage, route: Route): Principal | Promise<Principal>
  /** Verifies an end user's token, for routes of users. @throws Problem `unauthenticated` */
  authenticateUser?(request: IncomingMessage, route: Route): UserPrincipal | Promise<UserPrincipal>
  /**
   * Judges whether the caller may go on now; returns headers for every answer.
   * @param bodyBytes length of the body, as far as it is known before it is read
   * @throws Problem `rate_limited`
   */
  admit?(principal: Principal, bodyBytes: number): OutgoingHttpHeaders | Promise<OutgoingHttpHeaders>
  /** What the body of a request is counted against while it is received; without it nothing is counted. */
  shareOf?(request: IncomingMessage): BodyShare
  /** How long a caller waits at most, the time that its body takes aside; milliseconds. Then: `service_unavailable`. */
  answerWithinMs?: number | undefined
  /** The event streams of this process. */
  streams: OpenStreams
  observe(route: string, status: number, seconds: number): void
  /** Counts a refusal by its code. */
  refused(code: ErrorCode): void
}

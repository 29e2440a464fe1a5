import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { ErrorCode, Principal, Route } from '@notify/contracts'
import type { Logger } from '../logger.ts'
import type { Tracer } from '../telemetry/tracing.ts'
import type { BodyShare } from './body-budget.ts'

/** What every route of a service has in common: who may come in, and who hears of it. */
export interface Door {
  log: Logger
  tracer: Tracer
  docsUrl: string
  /** Whether callers come from outside, so that traces may begin here. */
  edge: boolean
  /** Finds out who calls, for routes that need a caller. */
  authenticate(request: IncomingMessage, route: Route): Principal | Promise<Principal>
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
  observe(route: string, status: number, seconds: number): void
  /** Counts a refusal by its code. */
  refused(code: ErrorCode): void
}

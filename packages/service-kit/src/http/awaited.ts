import type { IncomingMessage } from 'node:http'
import type { Route } from '@notify/contracts'
import { afterNextPoll } from '../loop-turns.ts'
import { Problem } from '../problem.ts'

/** Header of an internal call: how long the calling service waits for the response, in milliseconds. */
export const timeoutHeader = 'x-timeout-ms'

/**
 * Whether the caller still waits: it has not closed the connection, and its timeout has not passed.
 * @param forMs the caller must still wait for this many milliseconds; 0 by default
 */
export type IsAwaited = (forMs?: number) => boolean

/** How long a caller waits for its response. */
export interface Wait {
  /** Whether the caller still waits for the response; see {@link requireAwaited}. */
  isAwaited: IsAwaited
  /** Milliseconds that are left; infinite if the caller has named no timeout. */
  leftMs(): number
}

function waitUntil(untilMs: number, isConnected: () => boolean = () => true): Wait {
  const leftMs = () => untilMs - performance.now()
  return { leftMs, isAwaited: (forMs = 0) => isConnected() && leftMs() > forMs }
}

/**
 * The wait of another service. Its timeout counts from the receipt, so clocks need not agree. A request that was received
 * late, because this process or the network stalled, is detected by its closed connection.
 */
function internalWait({ headers, socket }: IncomingMessage, receivedMs: number): Wait {
  const timeoutMs = Number(headers[timeoutHeader] || Number.POSITIVE_INFINITY)
  return waitUntil(receivedMs + timeoutMs, () => !socket.readableEnded && !socket.destroyed)
}

/**
 * Call this as the last step before a write, because a request that the caller saw fail must not take effect later.
 * @throws Problem `service_unavailable` when the caller no longer waits
 */
export async function requireAwaited(isAwaited: IsAwaited): Promise<void> {
  await afterNextPoll()
  if (!isAwaited()) throw noLongerAwaited()
}

export function noLongerAwaited(): Problem {
  return new Problem('service_unavailable', 'The caller stopped waiting before the request was processed; try again')
}

/** Whether a call of the route may change something. */
export const isWrite = ({ method }: Route): boolean => method !== 'GET'

/**
 * The wait of the caller, from now. Callers of users' routes are other services too: the gateway passes requests on to their
 * owner. Callbacks of carriers are always processed, because a carrier does not repeat each of them.
 * @param leftMs time in which this process answers its callers, if it limits that itself
 */
export function waitOf({ auth }: Route, request: IncomingMessage, leftMs: number | undefined): Wait {
  const nowMs = performance.now()
  if (leftMs !== undefined) return waitUntil(nowMs + leftMs)
  return auth.caller === 'carrier' ? waitUntil(Number.POSITIVE_INFINITY) : internalWait(request, nowMs)
}

import type { IncomingMessage } from 'node:http'
import type { Route } from '@notify/contracts'
import { afterNextPoll } from '../loop-turns.ts'
import { Problem } from '../problem.ts'
import type { Door } from './door.ts'

/** Header of an internal call: how long the calling service waits for the response, in milliseconds. */
export const timeoutHeader = 'x-timeout-ms'

/**
 * Whether the caller still waits: it has not closed the connection, and its timeout has not passed.
 * @param forMs only if it is willing to wait for so many milliseconds more; 0 by default
 */
export type IsAwaited = (forMs?: number) => boolean

/**
 * The wait of an internal caller. Its timeout counts from the receipt, so clocks need not agree; a request that was received
 * late, because this process or the network stood still, is recognised by its closed connection.
 */
function internalWait({ headers, socket }: IncomingMessage, receivedMs: number): IsAwaited {
  const timeoutMs = Number(headers[timeoutHeader] ?? Number.POSITIVE_INFINITY)
  const isLate = (forMs: number) => performance.now() + forMs - receivedMs >= timeoutMs
  return (forMs = 0) => !socket.readableEnded && !socket.destroyed && !isLate(forMs)
}

/**
 * Call this as the last step before a write: what is refused to the caller must not happen later.
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

/** How long the caller waits, from now. A carrier does not repeat every callback, so those are processed in any case. */
export function waitOf(
  { edge }: Door,
  { auth }: Route,
  request: IncomingMessage,
  leftMs: number | undefined,
): IsAwaited {
  const nowMs = performance.now()
  if (edge) return (forMs = 0) => leftMs === undefined || performance.now() + forMs - nowMs < leftMs
  return auth.caller === 'carrier' ? () => true : internalWait(request, nowMs)
}

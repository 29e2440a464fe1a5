import type { IncomingMessage } from 'node:http'
import type { Route } from '@notify/contracts'
import { afterNextPoll } from '../loop-turns.ts'
import { Problem } from '../problem.ts'
import type { Door } from './door.ts'

/** Header of an internal call: how long the calling service waits for the response, in milliseconds. */
export const timeoutHeader = 'x-timeout-ms'

/**
 * Whether the caller still waits: it has not closed the connection, and its timeout has not passed.
 * @param forMs the caller must still wait for this many milliseconds; 0 by default
 */
export type IsAwaited = (forMs?: number) => boolean

/**
 * Whether an internal caller still waits. Its timeout counts from the receipt, so clocks need not agree. A request that was
 * received late, because this process or the network stalled, is detected by its closed connection.
 */
function internalWait({ headers, socket }: IncomingMessage, receivedMs: number): IsAwaited {
  const timeoutMs = Number(headers[timeoutHeader] ?? Number.POSITIVE_INFINITY)
  const isLate = (forMs: number) => performance.now() + forMs - receivedMs >= timeoutMs
  return (forMs = 0) => !socket.readableEnded && !socket.destroyed && !isLate(forMs)
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
 * The wait of the caller, from now. Callbacks of carriers are always processed, because a carrier does not repeat each of
 * them.
 */
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

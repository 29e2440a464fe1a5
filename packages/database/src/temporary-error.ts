import { type Kit, Problem } from '@notify/service-kit'
import { isConnectionError, isExhausted, isLockTimeout } from './connection-errors.ts'

/** The parts of the kit that retries at the start of a process use. */
export type StartKit = Pick<Kit, 'log' | 'lifecycle'>

const longestWaitMs = 5000
const firstWaitMs = 100

/** A lock timeout, a deadlock, a lost connection or exhausted resources. */
export function isTemporary(error: unknown): boolean {
  return isLockTimeout(error) || isConnectionError(error) || isExhausted(error)
}

/** The same, also as the problem that a query throws. */
export function isUnavailable(error: unknown): boolean {
  return isTemporary(error) || (error instanceof Problem && error.code === 'service_unavailable')
}

/** Jitter keeps replicas from retrying at the same moment. */
export function waitMs(failures: number): number {
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** failures)
  return Math.round(longest * (0.5 + Math.random() / 2))
}

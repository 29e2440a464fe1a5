import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let failures = 0
let firstFailureMs = 0
let answeredAt: number | undefined

/** Failures from which on the gateway counts as away: a single one may be chance. */
const away = 2

/** Records whether the gateway answered. Consecutive failures slow down polling and show the banner. */
export function noteAnswer(answered: boolean): void {
  if (answered) answeredAt = Date.now()
  setFailures(answered ? 0 : failures + 1)
}

/** Records that a request was not answered for as long as the gateway may take: that is reported at once. */
export const noteHang = (): void => setFailures(Math.max(away, failures))

/** When the gateway answered last; undefined before its first answer. */
export const lastAnswer = (): number | undefined => answeredAt

function setFailures(next: number): void {
  if (next === failures) return
  if (failures === 0) firstFailureMs = Date.now()
  failures = next
  for (const tell of listeners) tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the latest requests got no answer. A single failure does not count. */
export const isGatewayAway = (): boolean => failures >= away

export function useGatewayAway(): boolean {
  return useSyncExternalStore(subscribe, isGatewayAway)
}

const slowestMs = 60_000

/**
 * `refetchInterval` of a query. It grows with the duration of an outage, not with the number of failures, so that the end of a
 * short restart is noticed soon even if many queries have failed.
 */
export const pollEvery = (ms: number) => (): number =>
  failures === 0 ? ms : Math.max(ms, Math.min(slowestMs, Date.now() - firstFailureMs))

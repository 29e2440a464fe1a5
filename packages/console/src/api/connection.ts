import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let failures = 0
let firstFailureMs = 0

/** Notes whether the gateway answered; failures in a row slow polling down and show the banner. */
export function noteAnswer(answered: boolean): void {
  const next = answered ? 0 : failures + 1
  if (next === failures) return
  if (failures === 0) firstFailureMs = Date.now()
  failures = next
  for (const tell of listeners) tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the last requests got no answer. One that fails alone is a hiccup. */
export const isGatewayAway = (): boolean => failures >= 2

export function useGatewayAway(): boolean {
  return useSyncExternalStore(subscribe, isGatewayAway)
}

const slowestMs = 60_000

/**
 * `refetchInterval` of a query: this often, and more and more rarely while the gateway is away: again after as long as it has been
 * away, so that a short restart is noticed soon, however many queries have failed.
 */
export const pollEvery = (ms: number) => (): number =>
  failures === 0 ? ms : Math.max(ms, Math.min(slowestMs, Date.now() - firstFailureMs))

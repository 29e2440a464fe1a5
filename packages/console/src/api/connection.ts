import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let failures = 0

/** Notes whether the gateway answered; failures in a row slow polling down and show the banner. */
export function noteAnswer(answered: boolean): void {
  const next = answered ? 0 : failures + 1
  if (next === failures) return
  failures = next
  for (const tell of listeners) tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the last requests got no answer. One that fails alone is a hiccup. */
export function useGatewayAway(): boolean {
  return useSyncExternalStore(subscribe, () => failures >= 2)
}

const slowestMs = 60_000

/** `refetchInterval` of a query: this often, and more and more rarely while the gateway is away. */
export const pollEvery = (ms: number) => (): number => Math.min(slowestMs, ms * 2 ** Math.min(failures, 10))

import type { ListedProvider } from '../../catalogue/providers/provider-directory.ts'

/** A provider's current availability. */
export interface Standing {
  /** Milliseconds until the circuit breaker permits a call. */
  circuitOpenMs: number
  /** Whether its carrier has sent a Retry-After that has not ended. */
  busy: boolean
}

export type Choice =
  | { provider: ListedProvider; otherProvider: boolean }
  /** Every circuit breaker is open; the first one permits a probe after this time. */
  | { circuitOpenMs: number }

/**
 * Chooses the provider of an attempt: the first by priority whose circuit is closed. A busy provider is chosen only if there
 * is no other, and one tried since the last delay only if the providers have changed.
 * @param providers at least one, in the order of their priority
 */
export function chooseProvider(
  providers: readonly ListedProvider[],
  tried: ReadonlySet<string | null>,
  standingOf: (provider: ListedProvider) => Standing,
): Choice {
  const untried = providers.filter(({ id }) => !tried.has(id))
  const candidates = (untried.length > 0 ? untried : providers).map((provider) => ({
    provider,
    ...standingOf(provider),
  }))
  const callable = candidates.filter(({ circuitOpenMs }) => circuitOpenMs === 0)
  const chosen = callable.find(({ busy }) => !busy) ?? callable[0]
  if (!chosen) return { circuitOpenMs: Math.min(...candidates.map(({ circuitOpenMs }) => circuitOpenMs)) }
  return {
    provider: chosen.provider,
    otherProvider: untried.length > 0 && callable.some((one) => one !== chosen && !one.busy),
  }
}

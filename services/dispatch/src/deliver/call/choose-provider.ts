import type { ListedProvider } from '../../catalogue/providers/provider-directory.ts'

/** A provider's current availability. */
export interface Standing {
  /** How long no call is made, in milliseconds. */
  circuitOpenMs: number
  /** Whether it asked for a pause. */
  busy: boolean
}

export type Choice =
  | { provider: ListedProvider; otherProvider: boolean }
  /** Every circuit breaker is open: nothing can be sent before. */
  | { circuitOpenMs: number }

/**
 * The provider of an attempt: the first in the order of priority that can be called, one that asked for a pause only when
 * there is no other. None that was tried since the last wait, unless the providers changed meanwhile.
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

import type { ListedProvider } from '../../catalogue/providers/provider-directory.ts'
import type { Claim } from '../claim/claim-store.ts'
import type { Throttle } from '../throttle/throttle.ts'
import { type Choice, chooseProvider, type Standing } from './choose-provider.ts'
import type { GuardedCarriers } from './circuit-breaker.ts'

/** How long a queue waits after no connection was free. */
const connectionPauseMs = 250

/** `late`: the providers passed over because their rates are used up, with the time until their turns. */
type Turn = Choice & { late: ReadonlyMap<string, number> }
export type Chosen = Extract<Turn, { provider: ListedProvider }>

/** The rates, or the connections, of all providers that the message may use are used up. */
export interface Late {
  /** When the first of them has a turn. */
  forMs: number
  /** Whether a message that has not failed over could use another provider. */
  othersGoOn: boolean
}

type Of = Pick<Claim, 'mode' | 'tried'>

/** Chooses providers by their standing, and waits for their turns. */
export function createTurns(carriers: Pick<GuardedCarriers, 'circuitOpenMs' | 'isBusy'>, throttle: Throttle) {
  const standingOf =
    ({ mode }: Of, late?: ReadonlyMap<string, number>) =>
    (provider: ListedProvider): Standing => ({
      circuitOpenMs: carriers.circuitOpenMs(provider, mode),
      busy: carriers.isBusy(provider, mode) || late?.has(provider.id) === true,
    })

  const waitFor = (claim: Of, providers: readonly ListedProvider[], late: ReadonlyMap<string, number>): Late => {
    const standing = standingOf(claim, late)
    const first = chooseProvider(providers, new Set(), standing)
    return { forMs: Math.min(...late.values()), othersGoOn: 'provider' in first && !standing(first.provider).busy }
  }

  return {
    standingOf,

    /** Chooses a provider and waits for its turn. If its rate is used up, others of its priority replace it. */
    async take(claim: Of, providers: readonly ListedProvider[]): Promise<Turn | Late> {
      const late = new Map<string, number>()
      const standing = standingOf(claim, late)
      const tried = new Set(claim.tried)
      let priority: number | undefined
      for (;;) {
        const choice = chooseProvider(providers, tried, standing)
        if ('circuitOpenMs' in choice) return { ...choice, late }
        const { provider } = choice
        priority ??= provider.priority
        if (late.size > 0 && (provider.priority !== priority || standing(provider).busy))
          return waitFor(claim, providers, late)
        // Test messages go to the sandbox and do not use the account's rate.
        if (provider.rateLimitPerSecond === null || claim.mode === 'test') return { ...choice, late }
        const forMs = await throttle.turn(provider.id, provider.rateLimitPerSecond)
        if (forMs === 0) return { ...choice, late }
        late.set(provider.id, forMs)
      }
    },

    /** The wait of a message whose turn came when all connections of its provider were in use. */
    withoutConnection: (claim: Of, providers: readonly ListedProvider[], { provider, late }: Chosen): Late =>
      waitFor(claim, providers, new Map([...late, [provider.id, connectionPauseMs]])),
  }
}

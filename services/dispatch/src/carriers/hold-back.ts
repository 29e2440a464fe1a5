import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhenResult,
  type IBreaker,
  SamplingBreaker,
} from 'cockatiel'
import type { Provider } from '../providers/provider-directory.ts'
import type { CarrierAnswer, CarrierMessage, Carriers } from './carrier.ts'
import { carrierFault, refusal } from './verdict.ts'

/** What the word for a call that was not made is: there is no attempt to speak of. */
export const heldBackCode = 'circuit_open'
const heldBack = refusal(heldBackCode, carrierFault('The carrier fails too often; calls are held back'), null)

type Mode = CarrierMessage['mode']

/** Carriers of which some may be held back for a while. */
export interface HeldCarriers extends Carriers {
  /** How long no call is made to this provider, in milliseconds; 0: it may be called. */
  heldBackMs(provider: Provider, mode: Mode): number
  /** Whether the carrier asked for a pause: it may be called, but another one should rather be. */
  isBusy(provider: Provider, mode: Mode): boolean
  /** The providers that are, or were, held back. */
  circuits(): { providerId: string; kind: string; isOpen: boolean }[]
}

interface Hold {
  providerId: string
  kind: string
  revision: number
  breaker: CircuitBreakerPolicy
  openedAtMs: number
  busyUntilMs: number
}

const probeAfterMs = 5000
/** While a probe is under way the others wait; so often they look again. */
const duringProbeMs = 500

/**
 * Holds calls back from a provider that fails: each has a circuit breaker of its own. While it is open no call is made; then
 * one is, and its answer decides for all. Other credentials begin with a new one.
 */
export function holdBack(carriers: Carriers, nowMs: () => number = Date.now): HeldCarriers {
  const holds = new Map<string, Hold>()
  const holdOf = ({ id, kind, revision }: Provider, mode: Mode): Hold => {
    const key = `${id} ${mode}`
    const known = holds.get(key)
    if (known?.revision === revision) return known
    const breaker = createBreaker()
    const hold: Hold = { providerId: id, kind, revision, breaker, openedAtMs: 0, busyUntilMs: 0 }
    breaker.onBreak(() => {
      hold.openedAtMs = nowMs()
    })
    holds.set(key, hold)
    return hold
  }
  const waitMs = ({ breaker, openedAtMs }: Hold): number => {
    if (breaker.state === CircuitState.Closed) return 0
    return breaker.state === CircuitState.HalfOpen ? duringProbeMs : Math.max(0, openedAtMs + probeAfterMs - nowMs())
  }
  return {
    ...carriers,
    async send(provider, message) {
      const hold = holdOf(provider, message.mode)
      if (waitMs(hold) > 0) return heldBack
      try {
        const answer = await hold.breaker.execute(() => carriers.send(provider, message))
        if (answer.retryAfterMs !== null) hold.busyUntilMs = nowMs() + answer.retryAfterMs
        return answer
      } catch (error) {
        if (error instanceof BrokenCircuitError) return heldBack
        throw error
      }
    },
    heldBackMs: (provider, mode) => waitMs(holdOf(provider, mode)),
    isBusy: (provider, mode) => holdOf(provider, mode).busyUntilMs > nowMs(),
    circuits: () =>
      [...holds.values()]
        .filter(({ openedAtMs }) => openedAtMs > 0)
        .map(({ providerId, kind, breaker }) => ({
          providerId,
          kind,
          isOpen: breaker.state !== CircuitState.Closed,
        })),
  }
}

/** Opens when calls find the carrier broken; refusals of a message do not count. */
function createBreaker(): CircuitBreakerPolicy {
  const isBroken = (answer: unknown) => {
    const { carrierFault: fault, providerDown } = answer as CarrierAnswer
    return fault === true || providerDown === true
  }
  return circuitBreaker(handleWhenResult(isBroken), { halfOpenAfter: probeAfterMs, breaker: openingRule() })
}

/** Most calls of the last 10 s, or 20 in a row where there are few. */
function openingRule(): IBreaker {
  const rules = [new SamplingBreaker({ threshold: 0.8, duration: 10_000, minimumRps: 5 }), new ConsecutiveBreaker(20)]
  return {
    state: undefined,
    success(state) {
      for (const rule of rules) rule.success(state)
    },
    failure: (state) => rules.map((rule) => rule.failure(state)).includes(true),
  }
}

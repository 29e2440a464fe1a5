import { BrokenCircuitError, circuitBreaker, handleWhenResult, SamplingBreaker } from 'cockatiel'
import type { CarrierAnswer, Carriers } from './carrier.ts'
import { carrierFault, refusal } from './verdict.ts'

const circuitOpen = refusal('circuit_open', carrierFault('The carrier fails too often; calls are held back'), null)

/** Holds calls back from a provider that fails: each has a circuit breaker of its own. */
export function holdBack(carriers: Carriers): Carriers {
  const breakers = new Map<string, { revision: number; breaker: ReturnType<typeof createBreaker> }>()
  const breakerOf = (id: string, revision: number) => {
    const known = breakers.get(id)
    if (known?.revision === revision) return known.breaker
    const breaker = createBreaker()
    breakers.set(id, { revision, breaker })
    return breaker
  }
  return {
    ...carriers,
    async send(provider, message) {
      try {
        const breaker = breakerOf(`${provider.id} ${message.mode}`, provider.revision)
        return await breaker.execute(() => carriers.send(provider, message))
      } catch (error) {
        if (error instanceof BrokenCircuitError) return circuitOpen
        throw error
      }
    },
  }
}

/** Opens when most calls of the last 10 s found the carrier broken; refusals of a message do not count. */
function createBreaker() {
  const isBroken = (answer: unknown) => {
    const { carrierFault: fault, providerDown } = answer as CarrierAnswer
    return fault === true || providerDown === true
  }
  return circuitBreaker(handleWhenResult(isBroken), {
    halfOpenAfter: 5000,
    breaker: new SamplingBreaker({ threshold: 0.8, duration: 10_000, minimumRps: 5 }),
  })
}

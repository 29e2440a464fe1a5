import { type CarrierAnswer, carrierFault, noConnection, refusal } from '@notify/carriers/sending'
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
import type { Provider } from '../../catalogue/providers/provider-directory.ts'
import type { CarrierMessage, Carriers } from './carrier.ts'

/** Code of the answer when the circuit is open: no call was made. */
export const circuitOpenCode = 'circuit_open'
const circuitOpen = refusal(circuitOpenCode, carrierFault('The carrier fails too often; the circuit is open'), null)
/** Carries a call that was not made past the circuit breaker, which would count its answer. */
const notMade = new Error('no connection was free')

type Mode = CarrierMessage['mode']

/** Carriers behind circuit breakers. */
export interface GuardedCarriers extends Carriers {
  /** How long the circuit of this provider stays open, in milliseconds; 0: it may be called. */
  circuitOpenMs(provider: Provider, mode: Mode): number
  /** Whether a probe is in progress, whose answer closes the circuit or opens it again. */
  isProbed(provider: Provider, mode: Mode): boolean
  /** Whether a Retry-After of the carrier still applies; then the provider is used only if there is no other. */
  isBusy(provider: Provider, mode: Mode): boolean
  /** The circuits that are or were open. */
  circuits(): { tenantId: string; providerId: string; kind: string; mode: Mode; isOpen: boolean }[]
}

/** How many calls, one after another, failed after a long wait, and when the carrier last answered another. */
interface WaitedInARow {
  calls: number
  answeredMs: number
}

interface Circuit {
  tenantId: string
  providerId: string
  kind: string
  mode: Mode
  revision: number
  breaker: CircuitBreakerPolicy
  openedAtMs: number
  busyUntilMs: number
  waited: WaitedInARow
  /** When it was last used. */
  seenAtMs: number
}

const probeAfterMs = 5000
/** A failure after this time occupied a place, of which an account may have only five; twenty would take minutes. */
const longWaitMs = 5000
const mostLongWaits = 5
/**
 * After this time without a message an open circuit is no longer reported: it delays nothing, or its provider is deleted.
 */
const restsAfterMs = 300_000
/** After this time without a message a circuit is forgotten, also that of a deleted provider. */
const forgottenAfterMs = 3_600_000
/** While a probe is in progress, other messages wait this long before they check the circuit again. */
const duringProbeMs = 500

/**
 * Gives each provider its own circuit breaker. An open circuit permits no call until one probe, whose answer closes it or
 * opens it again. Changed credentials start with a closed circuit.
 */
export function withCircuitBreakers(carriers: Carriers, nowMs: () => number = Date.now): GuardedCarriers {
  const known = new Map<string, Circuit>()
  const circuitOf = ({ id, tenantId, kind, revision }: Provider, mode: Mode): Circuit => {
    const key = `${id} ${mode}`
    const found = known.get(key)
    const seenAtMs = nowMs()
    // If the clock was set back, the circuit is replaced: it would stay open for as long.
    if (found?.revision === revision && found.seenAtMs <= seenAtMs + probeAfterMs)
      return Object.assign(found, { seenAtMs })
    const waited: WaitedInARow = { calls: 0, answeredMs: Number.NEGATIVE_INFINITY }
    const breaker = createBreaker(waited)
    const own = { tenantId, providerId: id, kind, mode, revision }
    const circuit: Circuit = { ...own, breaker, openedAtMs: 0, busyUntilMs: 0, waited, seenAtMs }
    breaker.onBreak(() => {
      circuit.openedAtMs = nowMs()
    })
    known.set(key, circuit)
    return circuit
  }
  const waitMs = ({ breaker, openedAtMs }: Circuit): number => {
    if (breaker.state === CircuitState.Closed) return 0
    return breaker.state === CircuitState.HalfOpen ? duringProbeMs : Math.max(0, openedAtMs + probeAfterMs - nowMs())
  }
  return {
    ...carriers,
    async send(provider, message) {
      const circuit = circuitOf(provider, message.mode)
      if (waitMs(circuit) > 0) return circuitOpen
      const isProbe = circuit.breaker.state !== CircuitState.Closed
      const call = async () => {
        const startedMs = performance.now()
        const answer = await carriers.send(provider, message)
        if (isUnmade(answer) && !isProbe) throw notMade
        noteWait(circuit.waited, startedMs, answer)
        return answer
      }
      try {
        const answer = await circuit.breaker.execute(call)
        if (answer.retryAfterMs !== null && !answer.recipientOnly) circuit.busyUntilMs = nowMs() + answer.retryAfterMs
        return answer
      } catch (error) {
        if (error === notMade) return noConnection
        if (error instanceof BrokenCircuitError) return circuitOpen
        throw error
      }
    },
    circuitOpenMs: (provider, mode) => waitMs(circuitOf(provider, mode)),
    isProbed: (provider, mode) => circuitOf(provider, mode).breaker.state === CircuitState.HalfOpen,
    isBusy: (provider, mode) => circuitOf(provider, mode).busyUntilMs > nowMs(),
    circuits() {
      const fromMs = nowMs() - forgottenAfterMs
      for (const [key, { seenAtMs, busyUntilMs }] of known)
        if (Math.max(seenAtMs, busyUntilMs) < fromMs) known.delete(key)
      return [...known.values()]
        .filter(({ openedAtMs }) => openedAtMs > 0)
        .map(({ tenantId, providerId, kind, mode, breaker, seenAtMs }) => ({
          tenantId,
          providerId,
          kind,
          mode,
          isOpen: breaker.state !== CircuitState.Closed && seenAtMs > nowMs() - restsAfterMs,
        }))
    },
  }
}

/** Whether the answer shows that the provider refuses every message, not only this one. */
export const isBroken = ({ carrierFault: fault, providerDown }: CarrierAnswer): boolean =>
  fault === true || providerDown === true

/** A carrier that answered others during the wait does not hang. */
function noteWait(waited: WaitedInARow, startedMs: number, answer: CarrierAnswer): void {
  const nowMs = performance.now()
  if (!isBroken(answer)) Object.assign(waited, { calls: 0, answeredMs: nowMs })
  else if (nowMs - startedMs >= longWaitMs && waited.answeredMs <= startedMs) waited.calls += 1
}

/** Whether no connection was free, so that no call was made. */
const isUnmade = ({ code }: CarrierAnswer): boolean => code === noConnection.code

function createBreaker(waited: WaitedInARow): CircuitBreakerPolicy {
  return circuitBreaker(
    // A probe that was not made leaves the circuit open.
    handleWhenResult((answer) => isBroken(answer as CarrierAnswer) || isUnmade(answer as CarrierAnswer)),
    { halfOpenAfter: probeAfterMs, breaker: openingRule(waited) },
  )
}

/**
 * Opens when 80 % of the calls of the last 10 s failed, or 20 in a row if there were fewer than 5 calls a second, or 5 in a
 * row that failed after a long wait.
 */
function openingRule(waited: WaitedInARow): IBreaker {
  const rules = [new SamplingBreaker({ threshold: 0.8, duration: 10_000, minimumRps: 5 }), new ConsecutiveBreaker(20)]
  return {
    state: undefined,
    success(state) {
      for (const rule of rules) rule.success(state)
    },
    failure: (state) => rules.map((rule) => rule.failure(state)).includes(true) || waited.calls >= mostLongWaits,
  }
}

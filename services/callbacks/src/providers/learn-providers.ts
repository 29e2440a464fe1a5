import { findProviders, type ServicePrincipal } from '@notify/contracts'
import { createInternalClient, createTtlCache, Problem, type SignPrincipal } from '@notify/service-kit'
import type { Config } from '../config.ts'
import { type SavingContext, saveProvider } from './save-provider.ts'

/** What a callback claims. */
export interface UnknownAccount {
  kind: string
  /** Id of a provider, or the carrier's id of an account. */
  id: string
  /** The senders that must be among the answer; without them, any provider will do. */
  senders?: string | undefined
  /** The address of the callback's sender. */
  address: string
  /** The provider to which a verified callback belongs: its questions count for it, not for the address. */
  provenBy?: string | undefined
}

/** Asks dispatch for the providers of an id, and saves them. @returns whether there are any */
export type LearnProviders = (account: UnknownAccount) => Promise<boolean>

const principal: ServicePrincipal = { kind: 'service', service: 'callbacks', permissions: ['providers:find'] }
/** Less than a carrier and the gateway wait. */
const timeoutMs = 5000
const rememberedMs = 5000
/** Limits what callbacks with invented ids cost dispatch: those of one address or provider, and all of a process. */
export const questionsPerSecond = { each: 10, all: 50 }

/**
 * A carrier may call before the event of a new provider has arrived, so that only dispatch knows whether it exists. Answers are
 * cached for a few seconds. Beyond its share an address or a provider gets 429: callbacks with invented ids cause no 5xx.
 */
export function createProviderLearning(
  context: SavingContext,
  { DISPATCH_URL }: Pick<Config, 'DISPATCH_URL'>,
  signPrincipal: SignPrincipal,
): LearnProviders {
  const dispatch = createInternalClient(DISPATCH_URL, { connections: 8 })
  // Counted apart, so that callbacks which prove nothing do not use up the questions of proven ones.
  const [ofAddress, ofProvider] = [createShares(questionsPerSecond), createShares(questionsPerSecond)]
  const answers = createTtlCache<boolean>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(key) {
      const [kind, id] = JSON.parse(key) as [string, string]
      const call = { body: { kind, id }, principal: await signPrincipal(principal), timeoutMs }
      const answer = await dispatch.call(findProviders, call).catch((error: unknown) => {
        throw unsure(error)
      })
      const { providers } = findProviders.responses[200].parse(answer)
      for (const provider of providers) await saveProvider(context, provider)
      return providers.length > 0
    },
  })
  return async ({ kind, id, senders, address, provenBy }) =>
    answers.get(JSON.stringify([kind, id, senders]), () => {
      const mayAsk = provenBy === undefined ? ofAddress(address) : ofProvider(provenBy)
      if (!mayAsk) throw tooManyUnknown()
    })
}

/** The carrier must repeat the callback. */
export function unsure(cause: unknown): Problem {
  const detail = 'The account of this callback cannot be verified now; try again shortly'
  return new Problem('service_unavailable', detail, { cause })
}

const tooManyUnknown = () =>
  new Problem('rate_limited', 'Too many callbacks of unknown accounts; try again shortly', {
    headers: { 'Retry-After': '1' },
  })

/** Counts in windows of a second. */
function createShares(most: { each: number; all: number }): (asker: string) => boolean {
  const counts = new Map<string, number>()
  let [untilMs, total] = [0, 0]
  return (asker) => {
    const nowMs = performance.now()
    if (nowMs >= untilMs) {
      counts.clear()
      ;[untilMs, total] = [nowMs + 1000, 0]
    }
    const count = counts.get(asker) ?? 0
    if (count >= most.each || total >= most.all) return false
    counts.set(asker, count + 1)
    total += 1
    return true
  }
}

import { findProviders, type ServicePrincipal } from '@notify/contracts'
import { createInternalClient, createTtlCache, Problem, type SignPrincipal } from '@notify/service-kit'
import type { Config } from '../config.ts'
import { type SavingContext, saveProvider } from './save-provider.ts'

/** Asks dispatch for the providers of an id, and saves them. @returns whether there are any */
export type LearnProviders = (kind: string, id: string) => Promise<boolean>

const principal: ServicePrincipal = { kind: 'service', service: 'callbacks', permissions: ['providers:find'] }
const timeoutMs = 1500
const rememberedMs = 5000
/** Limits what callbacks with invented ids cost dispatch. */
const questionsPerSecond = 20

/**
 * A carrier may call before the event of a new provider has arrived, so that only dispatch knows whether it exists.
 * Answers are cached for a few seconds.
 */
export function createProviderLearning(
  context: SavingContext,
  { DISPATCH_URL }: Pick<Config, 'DISPATCH_URL'>,
  signPrincipal: SignPrincipal,
): LearnProviders {
  const dispatch = createInternalClient(DISPATCH_URL, { connections: 8 })
  const mayAsk = limitBySecond(questionsPerSecond)
  const answers = createTtlCache<boolean>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(key) {
      if (!mayAsk()) throw unsure(new Error('too many unknown ids'))
      const [kind, id] = splitOnce(key)
      const call = { body: { kind, id }, principal: await signPrincipal(principal), timeoutMs }
      const answer = await dispatch.call(findProviders, call).catch((error: unknown) => {
        throw unsure(error)
      })
      const { providers } = findProviders.responses[200].parse(answer)
      for (const provider of providers) await saveProvider(context, provider)
      return providers.length > 0
    },
  })
  return (kind, id) => answers.get(`${kind}|${id}`)
}

/** The carrier must repeat the callback. */
export function unsure(cause: unknown): Problem {
  const detail = 'The account of this callback cannot be verified now; try again shortly'
  return new Problem('service_unavailable', detail, { cause })
}

function limitBySecond(most: number): () => boolean {
  let untilMs = 0
  let left = most
  return () => {
    const nowMs = performance.now()
    if (nowMs >= untilMs) [untilMs, left] = [nowMs + 1000, most]
    return left-- > 0
  }
}

function splitOnce(key: string): [string, string] {
  const at = key.indexOf('|')
  return [key.slice(0, at), key.slice(at + 1)]
}

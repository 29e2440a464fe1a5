import { Resolver } from 'node:dns/promises'
import { DestinationError, notAllowed } from './destination.ts'
import { codeOf, DnsHealth, isUnanswered, nothing } from './dns-health.ts'
import { foreignFamily } from './foreign-family.ts'
import { createOwnerTurns } from './owner-turns.ts'

/**
 * Looks up all addresses of a name.
 * @param owner whose name it is; without one, its questions are not limited
 * @throws the error of DNS, with its `code`; `isOurs` when our resolver failed and not the name's servers
 */
export type HostResolver = (name: string, owner?: string) => Promise<string[]>

/** How long a failure is the answer to the same name. The first retry of a webhook comes after 4 s, and asks again. */
const failureKeptMs = 3000
/** Names whose latest failure is remembered, until they are answered. */
const mostFailures = 10_000
/** Names of one owner that are asked for at the same time, and how long further ones wait. As many more that had no answer. */
const mostOfOwner = 16
const waitMs = 2000

/**
 * Asks DNS without the thread pool: a name server that never answers would take one of its four threads for each name.
 * @param servers `host:port`; the system's when not given
 * @param answerMs longest wait for an answer; whose fault its absence is takes up to a third longer
 */
export function createHostResolver({
  servers,
  answerMs = 5000,
}: {
  servers?: readonly string[] | undefined
  answerMs?: number
} = {}): HostResolver {
  // The second of two tries waits twice as long.
  const timeout = Math.ceil(answerMs / 3)
  const resolver = new Resolver({ timeout, tries: 2 })
  if (servers) resolver.setServers([...servers])
  const health = new DnsHealth(() => within(timeout, resolver.resolveNs('.')))
  const inTurn = createOwnerTurns(mostOfOwner, waitMs)
  const underWay = new Map<string, Promise<string[]>>()
  const failures = createFailures()

  const ask = async (name: string, owner: string) => {
    const askedMs = performance.now()
    try {
      const addresses = await addressesOf(resolver, name, answerMs)
      health.answered()
      failures.forget(name)
      return addresses
    } catch (error) {
      if (nothing.has(codeOf(error))) health.answered()
      const judged = isUnanswered(error) ? await health.judge(error, { owner, askedMs }) : error
      failures.keep(name, judged)
      throw judged
    }
  }
  /** Requests for the same name share a question, whichever owners they have. */
  const askOnce = (name: string, owner: string) => {
    failures.throwKept(name)
    const asked = underWay.get(name) ?? ask(name, owner).finally(() => underWay.delete(name))
    underWay.set(name, asked)
    return asked
  }
  return async (name, owner) => {
    failures.throwKept(name)
    if (owner === undefined) return askOnce(name, '')
    // Names that had no answer wait for each other alone.
    const turns = failures.isUnanswered(name) ? `unanswered ${owner}` : owner
    return inTurn(turns, async () => askOnce(name, owner))
  }
}

/** Some name servers never answer questions for IPv6 addresses: of the two questions, one alone may be answered. */
async function addressesOf(resolver: Resolver, name: string, answerMs: number): Promise<string[]> {
  const questions = [resolver.resolve4(name), resolver.resolve6(name)].map((question) => within(answerMs, question))
  const first = Promise.any(questions)
  // A lost question is asked again. Its answer is worth the whole time if this machine cannot reach the addresses it knows.
  const further = (question: Promise<string[]>) => (known: string[]) =>
    foreignFamily(known) === undefined ? within(answerMs / 5, question) : question
  const answers = await Promise.allSettled(questions.map((question) => first.then(further(question), () => question)))
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  const errors = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : [],
  )
  throw errors.find((error) => !nothing.has(codeOf(error))) ?? errors[0] ?? new DestinationError(notAllowed)
}

/** Limits a lookup in time. @throws Error with the code ETIMEOUT */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const error = Object.assign(new Error('no answer of DNS in time'), { code: 'ETIMEOUT', syscall: 'query' })
  const timer = setTimeout(() => late.reject(error), ms).unref()
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function createFailures() {
  const kept = new Map<string, { error: unknown; untilMs: number }>()
  return {
    keep(name: string, error: unknown) {
      kept.delete(name)
      kept.set(name, { error, untilMs: performance.now() + failureKeptMs })
      if (kept.size > mostFailures) kept.delete(kept.keys().next().value!)
    },
    throwKept(name: string) {
      const failure = kept.get(name)
      if (failure && performance.now() < failure.untilMs) throw failure.error
    },
    forget: (name: string) => void kept.delete(name),
    isUnanswered: (name: string) => isUnanswered(kept.get(name)?.error),
  }
}

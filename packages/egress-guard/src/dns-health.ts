/** No server answered, or one reported a failure: the fault is with the name's servers or with our own resolver. */
const unanswered = new Set(['ETIMEOUT', 'ESERVFAIL', 'EREFUSED'])
/** Answers that there is no such name, or no address. */
export const nothing: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND'])
/** From so many owners whose names fail while no name is answered, the fault is ours. */
const fewestOwners = 3

export const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | null)?.code ?? '')

export const isUnanswered = (error: unknown): boolean => unanswered.has(codeOf(error))

/** Whether our own resolver failed, as `judge` has marked it. */
export const isOurs = (error: unknown): boolean => (error as { isOurs?: boolean } | null)?.isOurs === true

interface Question {
  owner: string
  /** When it was asked, monotonic. */
  askedMs: number
}

/**
 * Distinguishes unanswered names from a resolver that is down. A name is at fault when another one was answered while it was asked, or
 * when the resolver answers a question for the root. Names of several owners that fail together show that the resolver reaches
 * no servers, although it may still have the root cached.
 */
export class DnsHealth {
  #answeredMs = Number.NEGATIVE_INFINITY
  #probe: Promise<boolean> | undefined
  readonly #failing = new Set<string>()
  readonly #askRoot: () => Promise<unknown>

  /** @param askRoot rejects with the error of DNS */
  constructor(askRoot: () => Promise<unknown>) {
    this.#askRoot = askRoot
  }

  /** A name was answered, also by NXDOMAIN. */
  answered(): void {
    this.#answeredMs = performance.now()
    this.#failing.clear()
  }

  /** Marks the error of an unanswered question with whose fault it is. */
  async judge(error: unknown, { owner, askedMs }: Question): Promise<unknown> {
    if (this.#answeredMs >= askedMs) return error
    this.#failing.add(owner)
    const isOurFault = this.#failing.size >= fewestOwners || !(await this.#isAnswering())
    return Object.assign(error as object, { isOurs: isOurFault })
  }

  /** Questions of the same moment share a probe. */
  #isAnswering(): Promise<boolean> {
    this.#probe ??= this.#askRoot()
      .then(
        () => true,
        (error: unknown) => nothing.has(codeOf(error)),
      )
      .finally(() => {
        this.#probe = undefined
      })
    return this.#probe
  }
}

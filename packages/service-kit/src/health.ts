import type { Express } from 'express'
import { withAnswerHeaders } from './http/request-id.ts'

type Check = () => Promise<void> | void

/**
 * Thrown by a readiness check, to show its message at `/readyz`. Messages of other errors are hidden, because they may
 * contain secrets.
 */
export class Unready extends Error {
  override name = 'Unready'
}

/** Longer than the platform's interval of readiness probes, and shorter than monitoring's. */
const knownForMs = 10_000

const unknown = { atMs: Number.NEGATIVE_INFINITY, all: false }

/** Liveness and readiness of the process. */
export class Health {
  readonly #checks = new Map<string, Check>()
  readonly #preferences = new Map<string, Check>()
  #ready = false
  /** When the conditions were checked last, by `performance.now()`, and whether all held. */
  #known = unknown

  /** Adds a readiness condition; it fails while the check throws. */
  require(name: string, check: Check): void {
    this.#checks.set(name, check)
    this.#known = unknown
  }

  /** Adds an optional dependency: while the check throws, the process is ready but `degraded`. */
  prefer(name: string, check: Check): void {
    this.#preferences.set(name, check)
  }

  setReady(ready: boolean): void {
    this.#ready = ready
  }

  /** Names of the failed readiness conditions, or their reasons when a check throws {@link Unready}. */
  async failures(): Promise<string[]> {
    const failures = await failuresOf(this.#checks)
    this.#known = { atMs: performance.now(), all: failures.length === 0 }
    return this.#ready ? failures : ['starting or draining', ...failures]
  }

  /** Whether the process is ready, as far as known from the last seconds: Postgres is not asked for each reader. */
  async isReady(): Promise<boolean> {
    if (performance.now() > this.#known.atMs + knownForMs) await this.failures()
    return this.#ready && this.#known.all
  }

  /** Names of the optional dependencies. */
  get preferences(): string[] {
    return [...this.#preferences.keys()]
  }

  /** Names of the optional dependencies that are unavailable. */
  degraded(): Promise<string[]> {
    return failuresOf(this.#preferences)
  }

  /** Mounts `GET /healthz` (liveness) and `GET /readyz` (readiness). @returns their paths */
  mount(app: Express): string[] {
    app.get('/healthz', (request, response) => {
      withAnswerHeaders(request, response).json({ status: 'ok' })
    })
    app.get('/readyz', async (request, response) => {
      const [failures, degraded] = await Promise.all([this.failures(), this.degraded()])
      const isReady = failures.length === 0
      if (!isReady) response.set('Retry-After', '1')
      withAnswerHeaders(request, response)
        .status(isReady ? 200 : 503)
        .json({
          status: isReady ? 'ready' : 'unready',
          failures,
          ...(degraded.length > 0 ? { degraded } : {}),
        })
    })
    return ['/healthz', '/readyz']
  }
}

async function failuresOf(checks: ReadonlyMap<string, Check>): Promise<string[]> {
  const results = await Promise.all(
    [...checks].map(async ([name, check]) => {
      try {
        await withTimeout(check(), 1000)
        return undefined
      } catch (error) {
        return error instanceof Unready ? error.message : name
      }
    }),
  )
  return results.filter((name) => name !== undefined)
}

async function withTimeout(promise: Promise<void> | void, timeoutMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs)
  try {
    await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

import type { Express } from 'express'
import { withRequestId } from './http/request-id.ts'

type Check = () => Promise<void> | void

/** Whether the process lives, and whether it should get work. */
export class Health {
  readonly #checks = new Map<string, Check>()
  readonly #preferences = new Map<string, Check>()
  #ready = false

  /** Adds a condition of readiness: throws while it does not hold. */
  require(name: string, check: Check): void {
    this.#checks.set(name, check)
  }

  /** Adds something that the process works better with: while the check throws, it is ready and says `degraded`. */
  prefer(name: string, check: Check): void {
    this.#preferences.set(name, check)
  }

  setReady(ready: boolean): void {
    this.#ready = ready
  }

  /** What keeps the process from being ready, in one word each. */
  async failures(): Promise<string[]> {
    if (!this.#ready) return ['starting or draining']
    return failuresOf(this.#checks)
  }

  /** What the process does without at the moment, in one word each. */
  degraded(): Promise<string[]> {
    return failuresOf(this.#preferences)
  }

  /** Mounts `GET /healthz` (the process lives) and `GET /readyz` (it can work). @returns their paths */
  mount(app: Express): string[] {
    app.get('/healthz', (request, response) => {
      withRequestId(request, response).json({ status: 'ok' })
    })
    app.get('/readyz', async (request, response) => {
      const [failures, degraded] = await Promise.all([this.failures(), this.degraded()])
      withRequestId(request, response)
        .status(failures.length === 0 ? 200 : 503)
        .json({
          status: failures.length === 0 ? 'ready' : 'unready',
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
      } catch {
        return name
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

import { setTimeout as delay } from 'node:timers/promises'
import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { isLate } from '@notify/test-kit/api'

/** A request of each kind. */
export type Kinds = Readonly<Record<string, () => Promise<ApiResponse>>>

export interface Load {
  /** Requests so far. */
  count(): number
  /** Those without a 2xx response, except late ones: kind and cause. */
  readonly failures: readonly string[]
  /** Those whose time ran out, or that of their wait for a lock, as on a busy machine. */
  readonly late: readonly string[]
  /** Waits for the requests in progress. */
  stop(): Promise<void>
}

const isLocked = ({ status, body }: ApiResponse) => status === 503 && body.detail.includes('is locked')

/** Callers of each kind; a caller waits for the answer to its request. */
const callersEach = 2

/** Sends requests of each kind until stopped. @param everyMs mean interval of a kind, if answers took no time */
export function startLoad(kinds: Kinds, everyMs: number): Load {
  const failures: string[] = []
  const late: string[] = []
  let count = 0
  let isStopped = false
  const sendOne = async (kind: string, request: () => Promise<ApiResponse>) => {
    count += 1
    try {
      const answer = await request()
      const { status, body } = answer
      if (status >= 300)
        (isLate(answer) || isLocked(answer) ? late : failures).push(`${kind}: ${status} ${body.code}: ${body.detail}`)
    } catch (error) {
      failures.push(`${kind}: no response: ${causeOf(error)}`)
    }
  }
  const callers = Object.entries(kinds).flatMap(([kind, request]) =>
    Array.from({ length: callersEach }, async () => {
      while (!isStopped) {
        await delay(Math.random() * 2 * callersEach * everyMs)
        if (!isStopped) await sendOne(kind, request)
      }
    }),
  )
  return {
    count: () => count,
    failures,
    late,
    async stop() {
      isStopped = true
      await Promise.all(callers)
    },
  }
}

/** The cause of an error of `fetch`, which its message hides. */
export function causeOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException }
  return cause?.code ?? message
}

/** The causes of lost internal calls, for a failure that names only their callers. @param replicas what others have logged */
export const lostCalls = (env: TestEnv, replicas: string): readonly string[] =>
  `${replicas}${env.logs('gateway', 10_000)}${env.logs('otp', 10_000)}`.match(/[\w-]+ did not answer [^"]+/g) ?? []

/** Of the lost internal calls those whose connection broke, though there was time. */
export const brokenCalls = (env: TestEnv, replicas: string): readonly string[] =>
  lostCalls(env, replicas).filter((call) => !/ETIMEDOUT| in time\b/.test(call))

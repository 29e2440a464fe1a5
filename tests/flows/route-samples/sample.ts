import type { ApiResponse, TestEnv } from '../../../packages/dev-env/src/index.ts'

/** A request that a route answers with success; `at` tells the callers of one moment apart. */
export interface Sample {
  params?: Record<string, string>
  body?: unknown
  /** Of the end user who calls. */
  token?: string
  /** For routes that are called in a way of their own. */
  call?(): Promise<ApiResponse>
}

/** A request for each route, by the route's name. */
export type Samples = Record<string, (at: number) => Sample | Promise<Sample>>

/** Creates a resource as an operator. @returns the body of the answer */
export async function made(env: TestEnv, path: string, body: unknown) {
  const answer = await env.api('POST', path, { token: env.operatorToken, body })
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
  return answer.body
}

export const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

import { allRoutes } from '@notify/contracts/catalogue'
import { requestExampleOf } from '@notify/contracts/openapi-examples'
import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'

/** A request that a route answers with success; `at` distinguishes concurrent callers. */
export interface Sample {
  params?: Record<string, string>
  /** The query, with its question mark. */
  search?: string
  /** Default: the example of the OpenAPI document. */
  body?: unknown
  /** Fields of the documented example that differ from call to call. */
  fresh?: object
  /** Token of the end user who calls. */
  token?: string
  /** Makes the call, for routes that need another form of it. */
  call?(): Promise<ApiResponse>
}

/** A request for each route, by the route's name. */
export type Samples = Record<string, (at: number) => Sample | Promise<Sample>>

/** The body that the OpenAPI document shows for a route, with fields of its own. */
export function exampleBody(route: string, fresh: object = {}): object | undefined {
  const example = requestExampleOf(allRoutes().find(({ name }) => name === route)!)
  return typeof example === 'object' ? { ...example, ...fresh } : undefined
}

/** Creates a resource as an operator. @returns the body of the answer */
export async function made(env: TestEnv, path: string, body: unknown) {
  const answer = await postUntilTaken(env, path, body, { token: env.operatorToken })
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
  return answer.body
}

export const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

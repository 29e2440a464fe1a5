import { isDeepStrictEqual } from 'node:util'
import type { ErrorCode } from '@notify/contracts'
import { problemExampleOf } from '@notify/contracts/openapi-examples'

/** The structural differences of a problem from the example of its code in the OpenAPI document. */
export function unlikeExample(problem: { code: string }): string[] {
  const [given, shown] = [outlineOf(problem), outlineOf(problemExampleOf(problem.code as ErrorCode).value)]
  if (isDeepStrictEqual(given, shown)) return []
  return [`${problem.code} is ${JSON.stringify(given)} and its example ${JSON.stringify(shown)}`]
}

/** Title, status, and the field names of a problem and of the entries in `errors`. */
function outlineOf(problem: object) {
  const { title, status, errors } = problem as { title?: string; status?: number; errors?: object[] }
  const ofErrors = [...new Set(errors?.flatMap(Object.keys))].sort()
  return { title, status, fields: Object.keys(problem).sort(), ofErrors }
}

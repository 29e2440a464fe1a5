import type { z } from 'zod'
import { describeIssue } from './describe-issue.ts'
import { validationProblem } from './problem.ts'

/**
 * Validates a value with its schema.
 * @throws Problem `validation_failed` naming the invalid fields
 */
export function requireShape<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: describeIssue })
  if (result.success) return result.data
  throw validationProblem(result.error.issues)
}

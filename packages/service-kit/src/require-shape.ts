import type { z } from 'zod'
import { validationProblem } from './problem.ts'
import { sayIssue } from './say-issue.ts'

/**
 * Validates a value with its schema.
 * @throws Problem `validation_failed` naming the invalid fields
 */
export function requireShape<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: sayIssue })
  if (result.success) return result.data
  throw validationProblem(result.error.issues)
}

import type { z } from 'zod'
import { validationProblem } from './problem.ts'
import { sayIssue } from './say-issue.ts'

/**
 * Reads a value by its schema.
 * @throws Problem `validation_failed` that names what does not fit, and how it should be
 */
export function requireShape<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: sayIssue })
  if (result.success) return result.data
  throw validationProblem(result.error.issues)
}

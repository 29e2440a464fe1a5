import type { ErrorCode, FieldError } from '@notify/contracts'
import type { z } from 'zod'
import { describeIssue } from './describe-issue.ts'
import { Problem } from './problem.ts'

/** Most errors that a problem lists. */
const maxErrors = 50

type Shape<Value> = { value: Value; errors?: undefined } | { value?: undefined; errors: FieldError[] }

interface Place {
  /** Path of the value in the request. Default: the value is the request. */
  at?: string
  /** Default: `validation_failed`. */
  code?: ErrorCode
}

/**
 * Validates a value with its schema. All error texts of zod pass through this function, so every response describes a fault
 * in the same words.
 * @param at path of the value in the request
 * @returns the value, or its invalid fields, each with its first fault
 */
export function readShape<S extends z.ZodType>(schema: S, value: unknown, at = ''): Shape<z.output<S>> {
  const { success, data, error } = schema.safeParse(value, { error: describeIssue })
  if (success) return { value: data }
  const errors = new Map<string, FieldError>()
  for (const issue of error.issues) {
    for (const fault of faultsOf(issue, at === '' ? [] : [at])) {
      if (errors.size < maxErrors && !errors.has(fault.path)) errors.set(fault.path, fault)
    }
  }
  return { errors: [...errors.values()] }
}

/**
 * Validates a value with its schema.
 * @throws Problem naming the invalid fields
 */
export function requireShape<S extends z.ZodType>(
  schema: S,
  value: unknown,
  { at, code = 'validation_failed' }: Place = {},
): z.output<S> {
  const shape = readShape(schema, value, at)
  if (!shape.errors) return shape.value
  const [first] = shape.errors
  const detail = first ? `${first.path || 'The request'} ${first.message}` : 'The request does not fit its schema'
  throw new Problem(code, detail.slice(0, 500), { errors: shape.errors })
}

function faultsOf(issue: z.core.$ZodIssue, at: readonly string[]): FieldError[] {
  const path = [...at, ...issue.path.map(String)]
  if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }]
  return issue.keys
    .slice(0, maxErrors)
    .map((key) => ({ path: [...path, key].join('.'), message: 'is not a known field' }))
}

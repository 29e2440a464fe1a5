import type { Request, Response } from 'express'
import type { z } from 'zod'

/** What is wrong with one part of a body. */
interface Fault {
  path: string
  message: string
}

/**
 * Answers with problem details; carriers' own paths answer in their carrier's shape instead.
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export function sendProblem(
  res: Response,
  status: number,
  code: string,
  detail: string,
  errors?: readonly Fault[],
): void {
  res
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ status, code, title: code.replaceAll('_', ' '), detail, ...(errors && { errors }) }))
}

/** Answers 422 and names every path that is wrong. */
function sendInvalid(res: Response, error: z.ZodError): void {
  const errors = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  const [first] = errors
  sendProblem(
    res,
    422,
    'validation_failed',
    first?.path ? `${first.path}: ${first.message}` : `${first?.message}`,
    errors,
  )
}

/** The body parsed by this schema; undefined when it does not fit, after an error was answered. */
export function readBody<S extends z.ZodType>(req: Request, res: Response, schema: S): z.output<S> | undefined {
  let json: unknown
  try {
    json = JSON.parse(Buffer.isBuffer(req.body) ? req.body.toString() : '')
  } catch {
    sendProblem(res, 400, 'invalid_json', 'The body is not JSON.')
    return undefined
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  sendInvalid(res, parsed.error)
  return undefined
}

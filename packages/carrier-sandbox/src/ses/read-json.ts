import type { Request } from 'express'
import { errors, type SesError } from './errors.ts'

/** The JSON object of a request's body. */
export function readJson(req: Request): { body: Record<string, unknown> } | { error: SesError } {
  try {
    const body: unknown = JSON.parse(Buffer.isBuffer(req.body) ? req.body.toString() : '')
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return { body: body as Record<string, unknown> }
    return { error: errors.serialization('Start of structure or map expected.') }
  } catch {
    return { error: errors.serialization('The body is not JSON.') }
  }
}

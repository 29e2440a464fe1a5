import { randomBytes } from 'node:crypto'
import type { Response } from 'express'

/** An answer that refuses a request, in Meta's shape. */
export interface MetaError {
  status: number
  code: number
  message: string
  details?: string
}

/** The errors that the stand-in gives, by Meta's code. */
export const errors = {
  authenticate: { status: 401, code: 190, message: 'Invalid OAuth access token' },
  notFound: { status: 404, code: 100, message: 'Unsupported request: the object does not exist' },
  invalid: (details: string) => ({ status: 400, code: 100, message: '(#100) Invalid parameter', details }),
  unknownTemplate: (details: string) => ({
    status: 404,
    code: 132001,
    message: '(#132001) Template name does not exist in the translation',
    details,
  }),
  paused: { status: 400, code: 132015, message: '(#132015) Template is Paused' },
  parameterCount: (details: string) => ({
    status: 400,
    code: 132000,
    message: '(#132000) Number of parameters does not match the expected number of params',
    details,
  }),
  undeliverable: { status: 400, code: 131026, message: '(#131026) Message undeliverable' },
  rateLimit: { status: 429, code: 130429, message: '(#130429) Rate limit hit' },
  unavailable: { status: 503, code: 131016, message: '(#131016) Service unavailable' },
} as const

export function sendError(res: Response, error: MetaError, headers: Record<string, string> = {}): void {
  const { status, code, message, details = message } = error
  const error_data = { messaging_product: 'whatsapp', details }
  const fbtrace_id = randomBytes(12).toString('base64url')
  res
    .status(status)
    .set(headers)
    .json({ error: { message, type: 'OAuthException', code, error_data, fbtrace_id } })
}

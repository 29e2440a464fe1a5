import type { IncomingMessage } from 'node:http'
import { Problem } from '../problem.ts'

/** @throws Problem `not_acceptable` when the caller does not accept JSON (RFC 9110, 12.5.1) */
export function requireJsonAccepted(request: IncomingMessage): void {
  const accept = request.headers.accept
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return
  const acceptable = accept.split(',').some((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return !refused && /^(\*\/\*|application\/\*|application\/(problem\+)?json)$/.test(range)
  })
  if (!acceptable)
    throw new Problem('not_acceptable', 'This API returns application/json; send Accept: application/json')
}

/** @throws Problem `unsupported_media_type` when the body is not declared as JSON */
export function requireJsonBody(request: IncomingMessage): void {
  const type = request.headers['content-type']
  if (type === 'application/json') return
  if (type !== undefined && /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) return
  throw new Problem('unsupported_media_type', 'Send the body as JSON with Content-Type: application/json')
}

/** Whether the `Idempotency-Key` is valid: absent, or 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(key: string | string[] | undefined): key is string | undefined {
  return key === undefined || (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key))
}

/**
 * The caller's `Idempotency-Key`.
 * @throws Problem `invalid_idempotency_key` unless it is 1 to 255 visible ASCII characters
 */
export function idempotencyKeyOf(request: IncomingMessage): string | undefined {
  const key = request.headers['idempotency-key']
  if (isIdempotencyKey(key)) return key
  throw new Problem(
    'invalid_idempotency_key',
    'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces',
  )
}

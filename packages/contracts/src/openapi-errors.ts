import { type ErrorCode, errorCodes } from './errors.ts'
import { permissionsFor, type Route } from './route.ts'

/** Errors of requests that are not valid HTTP, sent before the route is known. */
const ofAnyRequest: readonly ErrorCode[] = [
  'invalid_header',
  'invalid_request_target',
  'request_timeout',
  'expectation_failed',
  'header_too_large',
  'internal_error',
  'transfer_coding_unknown',
  'service_unavailable',
]
const ofCallers: readonly ErrorCode[] = ['unauthenticated', 'permission_denied', 'wrong_cell', 'rate_limited']
const ofBytes: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']
const ofJson: readonly ErrorCode[] = ['invalid_json', 'validation_failed', ...ofBytes]

/** Every error that a route can give, by status. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...ofAnyRequest,
    ...(permissionsFor(route.auth) ? ofCallers : []),
    ...(route.auth.caller === 'user' ? (['unauthenticated', 'wrong_cell', 'rate_limited'] as const) : []),
    ...(route.auth.caller === 'carrier' ? (['rate_limited'] as const) : []),
    ...(takesBody(route) ? (route.bodyType === 'raw' ? ofBytes : ofJson) : (['unexpected_body'] as const)),
    ...(takesIdempotencyKey(route) ? (['invalid_idempotency_key'] as const) : []),
    ...(route.query || refusesUnknownQuery(route) ? (['validation_failed'] as const) : []),
    ...(route.responseType === undefined ? (['not_acceptable'] as const) : []),
    ...route.errors,
  ])
  return [...codes].sort((a, b) => errorCodes[a].status - errorCodes[b].status)
}

/** Routes for carriers and for anyone ignore unknown query parameters. */
function refusesUnknownQuery({ auth }: Route): boolean {
  return auth.caller !== 'carrier' && auth.caller !== 'anyone'
}

/** GET and DELETE refuse a body; every other method requires at least `{}`. */
function takesBody({ method }: Route): boolean {
  return method !== 'GET' && method !== 'DELETE'
}

/** Authenticated POST routes accept an Idempotency-Key. */
export function takesIdempotencyKey({ method, auth }: Route): boolean {
  return method === 'POST' && permissionsFor(auth) !== undefined
}

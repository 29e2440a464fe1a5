import { takesIdempotencyKey } from './openapi-errors.ts'
import { permissionsFor, type Route } from './route.ts'
import { isStream } from './stream.ts'

const seconds = { type: 'integer', minimum: 0 }

/** Response headers beyond those of HTTP itself. */
export const headerComponents = {
  'X-Request-Id': {
    description:
      "Id of the request. Echoes the caller's X-Request-Id if it has at most 128 letters, digits, dots, colons, - or _",
    required: true,
    schema: { type: 'string' },
  },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess another media type',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  'Strict-Transport-Security': {
    description: 'Browsers use only HTTPS for this host (RFC 6797)',
    required: true,
    schema: { type: 'string', const: 'max-age=31536000' },
  },
  'RateLimit-Policy': {
    description:
      'Rate limits of the caller and its tenant (draft-ietf-httpapi-ratelimit-headers). Present once the caller is known.',
    schema: { type: 'string', examples: ['"key";q=100;w=1, "tenant";q=500;w=1'] },
  },
  RateLimit: {
    description: 'Remaining requests of each limit, and seconds until it resets',
    schema: { type: 'string', examples: ['"key";r=99;t=1, "tenant";r=499;t=1'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before retrying; absent where waiting does not help',
    schema: seconds,
  },
  Location: {
    description:
      'The same request at the cell that serves the tenant; absent if this cell does not know it, or if a new user token is needed there',
    schema: { type: 'string', format: 'uri' },
  },
  'WWW-Authenticate': {
    description: 'Authentication scheme (RFC 6750)',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'Content-Disposition': {
    description: 'Suggested name of the file (RFC 6266)',
    required: true,
    schema: { type: 'string', examples: ['attachment; filename="activity.csv"'] },
  },
  'Cache-Control': {
    description: 'Caches must not keep the response',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  ETag: {
    description:
      'Version of the response. As If-None-Match of the next request it returns 304 while nothing has changed.',
    required: true,
    schema: { type: 'string', examples: ['W/"3q2-7wTQdE0bXkq9J4rD1A"'] },
  },
  Vary: {
    description: 'Responses are compressed for callers that accept gzip',
    required: true,
    schema: { type: 'string', const: 'Accept-Encoding' },
  },
  'Content-Security-Policy': {
    description: 'What the page may load; absent from problems',
    schema: { type: 'string' },
  },
  'Referrer-Policy': {
    description: 'Present with a page: its link stays with its reader',
    schema: { type: 'string', const: 'no-referrer' },
  },
  'X-Robots-Tag': {
    description: 'Present with a page: search engines leave it out',
    schema: { type: 'string', const: 'noindex' },
  },
  'Idempotent-Replayed': {
    description: 'Present when the response repeats the first response to this Idempotency-Key',
    schema: { type: 'string', const: 'true' },
  },
} as const
type HeaderName = keyof typeof headerComponents

/** Statuses of responses sent before the caller is known. */
const beforeTheCaller: readonly number[] = [401, 408, 417, 431, 501]

/** Streams forbid transformations as well. */
const isPrivate = (route: Route): boolean => route.auth.caller !== 'anyone' && !isStream(route)

/** Whether people may get a page: of what is not found as well. */
const isPage = ({ responseType }: Route, status: number): boolean =>
  responseType === 'text/html' && (status < 300 || status === 404)

/** Whether its responses are compressed: those that are read, but no events, which readers get at once. */
const isCompressed = (route: Route): boolean => route.method === 'GET' && !isStream(route)

/** Of responses that are sent while they are read, and whose version is not known before their end. */
const streamedTypes: readonly (string | undefined)[] = ['text/csv', 'application/x-ndjson']

/** Whether a caller may ask for what has changed only. */
export const isVersioned = (route: Route): boolean => isCompressed(route) && !streamedTypes.includes(route.responseType)

const isRead = (status: number): boolean => status === 200 || status === 304

/** The headers of a route's response with this status, as references to the components. */
export function headersOf(route: Route, status: number): Record<string, { $ref: string }> {
  const isCounted = permissionsFor(route.auth) !== undefined && !beforeTheCaller.includes(status)
  const names: HeaderName[] = [
    'X-Request-Id',
    'X-Content-Type-Options',
    'Strict-Transport-Security',
    ...(isCounted ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 421 ? (['Location'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(isPage(route, status) ? (['Content-Security-Policy', 'Referrer-Policy', 'X-Robots-Tag'] as const) : []),
    ...(status >= 400 || isPrivate(route) || isPage(route, status) ? (['Cache-Control'] as const) : []),
    ...(isRead(status) && isVersioned(route) ? (['ETag'] as const) : []),
    ...(isRead(status) && isCompressed(route) ? (['Vary'] as const) : []),
    ...(status < 300 && route.download ? (['Content-Disposition'] as const) : []),
    ...(status < 300 && takesIdempotencyKey(route) ? (['Idempotent-Replayed'] as const) : []),
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

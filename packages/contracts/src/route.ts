import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { KeyPermission, OperatorPermission, ServicePermission } from './permissions.ts'
import type { Caller, Principal } from './principal.ts'
import type { ServiceName } from './services.ts'

/** Who may call a route. `internal`, `service` and `forwarded` routes are only for our own services; see {@link isPublic}. */
export type RouteAuth =
  | { caller: 'key'; permission: KeyPermission }
  | { caller: 'operator'; permission: OperatorPermission }
  | { caller: 'key or operator'; permissions: { key: KeyPermission; operator: OperatorPermission } }
  | { caller: 'any principal' }
  | { caller: 'user' }
  | { caller: 'carrier' }
  | { caller: 'anyone' }
  | { caller: 'service'; permission: ServicePermission }
  | { caller: 'forwarded'; permissions: { key: KeyPermission; operator: OperatorPermission } }
  | { caller: 'internal' }

export const apiKey = (permission: KeyPermission) => ({ caller: 'key', permission }) as const
export const operator = (permission: OperatorPermission) => ({ caller: 'operator', permission }) as const
/** An API key or an operator, each with its own permission. */
export const apiKeyOrOperator = (key: KeyPermission, operator: OperatorPermission) =>
  ({ caller: 'key or operator', permissions: { key, operator } }) as const
/** An API key or an operator, whatever its permissions. */
export const anyPrincipal = { caller: 'any principal' } as const
/** An end user of an application; the service that owns the route verifies the token. */
export const user = { caller: 'user' } as const
export const carrier = { caller: 'carrier' } as const
export const anyone = { caller: 'anyone' } as const
/** Another of our services, authenticated by a principal that it signed itself. */
export const service = (permission: ServicePermission) => ({ caller: 'service', permission }) as const
/** Another of our services on behalf of an API key or operator: it forwards its own caller's principal, signed by the gateway. */
export const forwarded = (key: KeyPermission, operator: OperatorPermission) =>
  ({ caller: 'forwarded', permissions: { key, operator } }) as const
/** Our own services. Only the handler may authenticate the caller. */
export const internal = { caller: 'internal' } as const

/** Whether external callers may use a route. Other routes are not in the OpenAPI document and not forwarded. */
export function isPublic({ auth }: Pick<Route, 'auth'>): boolean {
  return !['internal', 'service', 'forwarded'].includes(auth.caller)
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Schemas = Readonly<Record<number, z.ZodType>>

export interface Route {
  readonly name: string
  readonly service: ServiceName
  readonly method: HttpMethod
  /** Path with `:name` parameters. */
  readonly path: `/${string}`
  readonly summary: string
  readonly auth: RouteAuth
  readonly params?: z.ZodType | undefined
  readonly query?: z.ZodType | undefined
  readonly body?: z.ZodType | undefined
  /** JSON (default), or raw bytes for handlers that verify a signature over them. */
  readonly bodyType?: 'json' | 'raw' | undefined
  /**
   * Whether the handler validates the parts of the body itself, including that texts can be stored (`requireStorable`).
   */
  readonly judgesParts?: true | undefined
  /** Media type of a raw body. Default: a form. */
  readonly requestType?: string | undefined
  /** The body that the OpenAPI document shows; most are in `requestExamples`. */
  readonly requestExample?: unknown
  /** Media type of the response. Default: JSON. */
  readonly responseType?: string | undefined
  /** Further media types of the response, which the caller chooses by a parameter. */
  readonly otherResponseTypes?: readonly string[] | undefined
  /** What each line of the response describes, where it is lines of JSON. */
  readonly line?: z.ZodType | undefined
  /** The columns of the same as CSV. */
  readonly columns?: readonly string[] | undefined
  /** Whether the response is a file for download, streamed while it is generated. */
  readonly download?: true | undefined
  /** Largest body in bytes. Default: 256 KiB. */
  readonly maxBodyBytes?: number | undefined
  /** Most values of a JSON body, with its lists and objects. Default: 10,000. */
  readonly maxValues?: number | undefined
  /** The field that `maxBodyBytes` is for, and how many bytes of a body it takes: the rest stays within the default limit. */
  readonly exempt?: { readonly field: string; readonly bytesOf: (body: unknown) => number } | undefined
  /** Whether a repetition changes nothing. Default: of a GET only. */
  readonly idempotent?: true | undefined
  /** Whether the response contains secrets or message texts, which must be encrypted at rest. */
  readonly confidential?: true | undefined
  /** Whether the response may wait for another service, a carrier or DNS. The gateway counts such requests apart. */
  readonly waits?: true | undefined
  readonly responses: Schemas
  /** Errors beyond those of every route. */
  readonly errors: readonly ErrorCode[]
}

/**
 * The required permission by kind of caller; null: none is needed. A kind that is absent may not call. `undefined`: no
 * authentication.
 */
export function permissionsFor(auth: RouteAuth): Partial<Record<Principal['kind'], string | null>> | undefined {
  switch (auth.caller) {
    case 'key':
      return { key: auth.permission }
    case 'operator':
      return { operator: auth.permission }
    case 'key or operator':
    case 'forwarded':
      return auth.permissions
    case 'any principal':
      return { key: null, operator: null }
    case 'service':
      return { service: auth.permission }
    default:
      return undefined
  }
}

/** A response without body: status 204. */
export const NoContent = z.undefined()

/** Declares an HTTP route. Types, validation, OpenAPI and the internal client derive from it. */
export function defineRoute<const R extends Route>(route: R): R {
  return route
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
export type RouteParams<R extends Route> = Parsed<R['params']>
export type RouteQuery<R extends Route> = Parsed<R['query']>
export type RouteBody<R extends Route> = R['bodyType'] extends 'raw' ? Buffer : Parsed<R['body']>
/** The body as the caller sends it: before defaults and transforms. */
export type RouteInput<R extends Route> = R['body'] extends z.ZodType ? z.input<R['body']> : undefined
export type RouteReply<R extends Route> = z.input<R['responses'][keyof R['responses']]>
type CallerKinds = {
  key: 'key'
  operator: 'operator'
  'key or operator': 'key' | 'operator'
  forwarded: 'key' | 'operator'
  'any principal': 'key' | 'operator'
  user: 'user'
  service: 'service'
}
/** The caller of the route, narrowed to the kinds that it accepts. */
export type RoutePrincipal<R extends Route> = R['auth']['caller'] extends keyof CallerKinds
  ? Extract<Caller, { kind: CallerKinds[R['auth']['caller']] }>
  : undefined

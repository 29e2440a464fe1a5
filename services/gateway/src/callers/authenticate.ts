import { AsyncResource } from 'node:async_hooks'
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  getMe,
  type KeyPrincipal,
  lookUpRecipient,
  type OperatorPrincipal,
  type OperatorProfile,
  type Principal,
  type Route,
} from '@notify/contracts'
import type { Queries } from '@notify/database'
import { type ParsedApiKey, parseApiKey } from '@notify/privacy'
import { createTtlCache, Problem } from '@notify/service-kit'
import { BulkheadRejectedError, bulkhead } from 'cockatiel'
import type { Config } from '../config.ts'
import { findKey } from '../keys/key-store.ts'
import { type Limits, limitsFor } from '../limits/admit.ts'
import type { FailureLimit } from '../limits/limit-failures.ts'
import type { RememberOperator } from '../operators/remember-operator.ts'
import { noSuchTenant } from './no-such-tenant.ts'
import { requireServed, WrongCell, whyReadOnly, wrongCell } from './other-cells.ts'
import { findTenant } from './tenant-store.ts'
import { createOperatorVerifier, unauthenticated, type VerifyOperator } from './verify-operator.ts'

interface KeyCaller {
  principal: KeyPrincipal
  limits: Limits
}

interface OperatorCaller {
  principal: OperatorPrincipal
  limits: Limits
  /** The tenant that the access token names, when it does not exist. */
  missingTenant?: string | undefined
  /** Why the operator may only read here. */
  readOnly: Problem | WrongCell | undefined
  profile: OperatorProfile
}

/** Authenticates bearer tokens and determines their limits. */
export interface Callers {
  authenticate(request: IncomingMessage, route: Route): Principal | Promise<Principal>
  limitsOf(principal: Principal): Limits
  /** What the access token says about an operator; undefined for keys. */
  profileOf(principal: Principal): OperatorProfile | undefined
}

/** Callers are cached for a second, so a revoked key stops working within one second on every replica. */
const rememberedMs = 1000

/** Concurrent and waiting lookups for addresses that keep failing. */
const narrow = { lookups: 2, waiting: 100 }
const mostProven = 10_000

interface Doors {
  rememberOperator: RememberOperator
  addressOf(request: IncomingMessage): string
  failures: FailureLimit
}

export function createCallers(db: Queries, config: Config, { addressOf, failures, rememberOperator }: Doors): Callers {
  const verifyOperator = createOperatorVerifier(config)
  const limits = new WeakMap<Principal, Limits>()
  const strangers = new WeakMap<Principal, string>()
  const readers = new WeakMap<Principal, Problem | WrongCell>()
  const profiles = new WeakMap<Principal, OperatorProfile>()
  const cache = createTtlCache<Principal>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(token) {
      if (token.startsWith('sk_')) {
        const key = await keyCaller(db, config, token)
        limits.set(key.principal, key.limits)
        return key.principal
      }
      const operator = await operatorCaller(db, config, token, verifyOperator)
      limits.set(operator.principal, operator.limits)
      profiles.set(operator.principal, operator.profile)
      if (operator.readOnly) readers.set(operator.principal, operator.readOnly)
      if (operator.missingTenant) strangers.set(operator.principal, operator.missingTenant)
      else rememberOperator(operator.principal, operator.profile)
      return operator.principal
    },
  })
  const narrowLane = bulkhead(narrow.lookups, narrow.waiting)
  /** Recently valid tokens, which failures of others do not delay. */
  const proven = new Set<string>()
  const find = async (request: IncomingMessage, token: string) => {
    if (proven.has(token) || !failures.isOver(addressOf(request))) return cache.get(token)
    // Otherwise a lookup that waited would run as the request whose lookup ended.
    return narrowLane.execute(AsyncResource.bind(() => cache.get(token)))
  }
  const identify = async (request: IncomingMessage, token: string) => {
    try {
      const principal = await find(request, token)
      if (!proven.has(token)) remember(proven, token)
      return principal
    } catch (error) {
      proven.delete(token)
      throw error
    }
  }
  const identifyOrCount = async (request: IncomingMessage) => {
    try {
      return await identify(request, bearerOf(request))
    } catch (error) {
      const isRejected = error instanceof BulkheadRejectedError
      if (isRejected || isUnproven(error)) failures.count(addressOf(request))
      if (error instanceof WrongCell) throw wrongCell(error, request, config.CELLS)
      if (!isRejected) throw error
      throw new Problem('rate_limited', 'Too many unknown credentials from this address; try again', {
        headers: { 'Retry-After': '1' },
      })
    }
  }
  /** `GET /me` returns the claims of a token, which helps to set up an identity provider. */
  const requireTenant = (principal: Principal, route: Route, request: IncomingMessage) => {
    const missing = strangers.get(principal)
    if (missing !== undefined && route.name !== getMe.name) throw noSuchTenant(missing)
    // What a tenant did in its former cell can be read there, and searched by recipient.
    const isRead = route.method === 'GET' || route.name === lookUpRecipient.name
    const reason = isRead ? undefined : readers.get(principal)
    if (reason) throw reason instanceof WrongCell ? wrongCell(reason, request, config.CELLS) : reason
    return principal
  }
  return {
    // A cached caller needs no await.
    authenticate(request, route) {
      const known = cache.peek(tokenOf(request) ?? '')
      if (known) return requireTenant(known, route, request)
      return identifyOrCount(request).then((principal) => requireTenant(principal, route, request))
    },
    limitsOf: (principal) => limits.get(principal)!,
    profileOf: (principal) => profiles.get(principal),
  }
}

/** Whether the credentials are wrong, or could only be verified by another cell. */
function isUnproven(error: unknown): boolean {
  if (error instanceof WrongCell) return !error.isProven
  return error instanceof Problem && error.code === 'unauthenticated'
}

function remember(tokens: Set<string>, token: string): void {
  const [oldest] = tokens
  if (tokens.size >= mostProven && oldest !== undefined) tokens.delete(oldest)
  tokens.add(token)
}

function tokenOf({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  return /^bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]
}

function bearerOf(request: IncomingMessage): string {
  if (request.headers.authorization === undefined) {
    throw unauthenticated('Send Authorization: Bearer <API key or access token>')
  }
  const token = tokenOf(request)
  if (token !== undefined) return token
  throw unauthenticated('The Authorization header is not of the form: Bearer <API key or access token>')
}

async function keyCaller(db: Queries, config: Config, token: string): Promise<KeyCaller> {
  const parsed = parseApiKey(token)
  if (!parsed) throw unauthenticated('This is not an API key: check that it was copied whole')
  const find = () => findKey(db.run, parsed.keyId)
  const found = await find()
  // A tenant that moved here brought its keys, which name the cell that made them.
  if (!found && parsed.cell !== undefined && parsed.cell !== config.CELL) {
    throw new WrongCell(parsed.cell, { isProven: false })
  }
  if (found && !isSecretOf(found, parsed)) throw unknownKey()
  const key = await requireServed(found, find)
  if (!key) throw unknownKey()
  const { sha256: _, key_limit, tenant_limit, moved_to: _to, arriving: _now, ...known } = key
  const { default_locale, default_time_zone, bulk_requires_topic, ...rest } = known
  // Absent rather than null: most applications have none, and each call carries its principals.
  const defaults = {
    ...(default_locale === null ? {} : { default_locale }),
    ...(default_time_zone === null ? {} : { default_time_zone }),
    ...(bulk_requires_topic ? { bulk_requires_topic } : {}),
  }
  const principal: KeyPrincipal = { kind: 'key', ...rest, ...defaults }
  const limits = limitsOf(config, key.tenant_id, {
    caller: { id: `key ${key.key_id}`, limit: key_limit },
    // Test keys use up nothing of the live keys' limit.
    tenant: { id: `tenant ${key.tenant_id}${key.mode === 'test' ? ' test' : ''}`, limit: tenant_limit },
  })
  return { principal, limits }
}

const unknownKey = () => unauthenticated('The API key is not known or was revoked')

function isSecretOf(key: { mode: string; sha256: string }, parsed: ParsedApiKey): boolean {
  return key.mode === parsed.mode && timingSafeEqual(Buffer.from(key.sha256), Buffer.from(parsed.sha256))
}

async function operatorCaller(
  db: Queries,
  config: Config,
  token: string,
  verify: VerifyOperator,
): Promise<OperatorCaller> {
  const { principal, profile } = await verify(token)
  const { tenant_id: tenantId, subject } = principal
  const tenant = await findTenant(db.run, tenantId)
  const limits = limitsOf(config, tenantId, {
    caller: { id: `operator ${tenantId} ${subject}`, limit: null },
    // Operators revoke keys and pause broadcasts also while keys use up the tenant's limit.
    tenant: { id: `tenant ${tenantId} operators`, limit: tenant?.rate_limit_per_second ?? null },
  })
  const missingTenant = tenant ? undefined : tenantId
  return { principal, profile, limits, missingTenant, readOnly: tenant && whyReadOnly(tenant) }
}

/** What is counted together, and its limit, if it has one of its own. */
interface Counted {
  id: string
  limit: number | null
}

function limitsOf(config: Config, tenantId: string, { caller, tenant }: Record<'caller' | 'tenant', Counted>): Limits {
  return limitsFor(
    tenantId,
    { id: caller.id, perSecond: caller.limit ?? config.RATE_LIMIT_KEY_PER_SECOND },
    { id: tenant.id, perSecond: tenant.limit ?? config.RATE_LIMIT_TENANT_PER_SECOND },
  )
}

import { idSchema, KeyMode, UserId, type UserPrincipal } from '@notify/contracts'
import { type Cells, Problem } from '@notify/service-kit'
import { createLocalJWKSet, decodeJwt, errors, importJWK, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { publicKeys, type UserTokenKeys } from './user-token-keys.ts'

/** The token's type: no other token signed with our keys, or an operator's, is accepted as one. */
const form = { issuer: 'notification-service', audience: 'urn:notify:inbox', typ: 'user+jwt' } as const

const Claims = z.object({
  sub: UserId,
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  mode: KeyMode,
  exp: z.number(),
})

const maxCached = 20_000

/** The user that a token is for. */
export type TokenOwner = Omit<UserPrincipal, 'kind' | 'expires_at_ms'>

export interface UserTokens {
  issue(owner: TokenOwner, expiresAtMs: number): Promise<string>
  /** @throws Problem `unauthenticated` */
  verify(token: string): Promise<UserPrincipal>
}

/** This installation among several. */
interface Here {
  cell?: string | undefined
  cells?: Cells | undefined
}

/** Issues and verifies user tokens: JWTs, ES256. A token is verified once and remembered until it expires. */
export async function createUserTokens(keys: UserTokenKeys, { cell, cells }: Here = {}): Promise<UserTokens> {
  const [{ kid }] = keys as [UserTokenKeys[number]]
  const signingKey = await importJWK(keys[0]!, 'ES256')
  const known = createLocalJWKSet(publicKeys(keys))
  // Not `max`: it reserves memory for all entries at once.
  const verified = new LRUCache<string, UserPrincipal>({ maxSize: maxCached, sizeCalculation: () => 1 })
  return {
    issue: ({ tenant_id, application_id, user_id, mode }, expiresAtMs) =>
      new SignJWT({ tenant_id, application_id, mode, ...(cell !== undefined && { cell }) })
        .setProtectedHeader({ alg: 'ES256', typ: form.typ, kid })
        .setIssuer(form.issuer)
        .setAudience(form.audience)
        .setSubject(user_id)
        .setIssuedAt()
        .setExpirationTime(Math.floor(expiresAtMs / 1000))
        .sign(signingKey),
    async verify(token) {
      const principal =
        verified.get(token) ??
        (await read(token, known).catch((error: unknown) => refuse(error, token, { cell, cells })))
      if (principal.expires_at_ms <= Date.now()) throw refusal('The user token has expired; issue a new one')
      verified.set(token, principal)
      return principal
    },
  }
}

async function read(token: string, keys: ReturnType<typeof createLocalJWKSet>): Promise<UserPrincipal> {
  try {
    const { payload } = await jwtVerify(token, keys, { ...form, algorithms: ['ES256'], requiredClaims: ['exp', 'sub'] })
    const { sub, exp, ...claims } = Claims.parse(payload)
    return { kind: 'user', ...claims, user_id: sub, expires_at_ms: exp * 1000 }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw refusal('The user token has expired; issue a new one')
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) {
      throw refusal('This is not a user token of this service; POST /api/v1/in-app/tokens issues one')
    }
    throw error
  }
}

/** A token that cannot be verified may be of another cell, whose keys are not known here: it names that cell itself. */
function refuse(error: unknown, token: string, { cell, cells }: Here): never {
  const named = error instanceof Problem ? cellOf(token) : undefined
  if (named === undefined || named === cell) throw error
  const base = cells?.get(named)
  if (base === undefined) throw error
  throw new Problem('wrong_cell', `This user token is of the cell ${named}: use ${base}`, {
    headers: { Location: base },
  })
}

function cellOf(token: string): string | undefined {
  try {
    const { cell } = decodeJwt<{ cell?: unknown }>(token)
    return typeof cell === 'string' ? cell : undefined
  } catch {
    return undefined
  }
}

export function refusal(detail: string): Problem {
  return new Problem('unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

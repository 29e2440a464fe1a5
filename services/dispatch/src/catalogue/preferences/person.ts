import { type Id, indexOfToken, type KeyMode, type KeyPrincipal, type OperatorPrincipal } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { PreferenceOwner } from './preference-store.ts'

/** A person as callers name them: by the user id, by an address, or by both. */
export interface Named {
  user_id?: string | undefined
  address?: string | undefined
}

/** One of the names of a person, with its blind index. */
export interface Subject {
  of: 'user' | 'address'
  name: string
  index: string
}

/** The subjects whose choices count for a person. */
export function subjectsOf(
  { secrets }: Pick<Context, 'secrets'>,
  tenantId: Id<'ten'>,
  { user_id, address }: Named,
): Subject[] {
  const subject = (of: Subject['of'], name: string | undefined): Subject[] =>
    name === undefined ? [] : [{ of, name, index: secrets.blindIndex(tenantId, name) }]
  return [...subject('user', user_id), ...subject('address', address)]
}

/** A person by the tokens of the user id and of an address. */
export interface Tokens {
  user_token?: string | undefined
  address_token?: string | undefined
}

/** The subjects of tokens, whose names are not known. */
export function subjectsOfTokens({ user_token, address_token }: Tokens): Omit<Subject, 'name'>[] {
  const subject = (of: Subject['of'], token: string | undefined) => {
    const index = token && indexOfToken(token)
    return index ? [{ of, index }] : []
  }
  return [...subject('user', user_token), ...subject('address', address_token)]
}

/** Whose choices a caller reads and changes: those of its application, made with keys of its mode. */
export const ownerOf = ({
  tenant_id,
  application_id,
  mode,
}: Pick<KeyPrincipal, 'tenant_id' | 'application_id' | 'mode'>): PreferenceOwner => ({
  tenantId: tenant_id,
  applicationId: application_id,
  mode,
})

/**
 * The same for callers that may be operators, who name the application and the mode.
 * @throws Problem `validation_failed`
 */
export function ownerOfCaller(
  principal: KeyPrincipal | OperatorPrincipal,
  applicationId: Id<'app'> | undefined,
  mode: KeyMode | undefined,
): PreferenceOwner {
  const { tenant_id: tenantId } = principal
  if (principal.kind === 'operator') {
    if (applicationId === undefined) throw fieldProblem('validation_failed', 'application_id', 'is missing')
    return { tenantId, applicationId, mode: mode ?? 'live' }
  }
  if (applicationId !== undefined && applicationId !== principal.application_id)
    throw fieldProblem('validation_failed', 'application_id', 'is not the application of the key')
  if (mode !== undefined && mode !== principal.mode)
    throw fieldProblem('validation_failed', 'mode', 'is not the mode of the key')
  return ownerOf(principal)
}

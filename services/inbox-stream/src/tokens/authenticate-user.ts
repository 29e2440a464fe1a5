import type { IncomingMessage } from 'node:http'
import type { UserPrincipal } from '@notify/contracts'
import type { Access } from '../applications/access.ts'
import { refusal, type UserTokens } from './user-token.ts'

export type AuthenticateUser = (request: IncomingMessage) => Promise<UserPrincipal>

/** Finds the user of a request by its token, whose application must not be revoked. */
export function createUserAuthentication(tokens: UserTokens, access: Access): AuthenticateUser {
  return async ({ headers: { authorization } }) => {
    if (authorization === undefined) throw refusal('Send Authorization: Bearer <user token>')
    const token = /^bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]
    if (token === undefined) throw refusal('The Authorization header is not of the form: Bearer <user token>')
    const principal = await tokens.verify(token)
    if ((await access.of(principal.application_id)).isRevoked) throw refusal('The application was revoked')
    return principal
  }
}

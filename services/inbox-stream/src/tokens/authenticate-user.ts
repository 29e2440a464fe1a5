import type { IncomingMessage } from 'node:http'
import type { UserPrincipal } from '@notify/contracts'
import { type Cells, Problem } from '@notify/service-kit'
import type { Access } from '../applications/access.ts'
import { refusal, type UserTokens } from './user-token.ts'

export type AuthenticateUser = (request: IncomingMessage) => Promise<UserPrincipal>

/**
 * Finds the user of a request by its token, whose application must not be revoked. After its tenant moved to another cell, users
 * only read here.
 */
export function createUserAuthentication(tokens: UserTokens, access: Access, cells: Cells): AuthenticateUser {
  return async ({ method, headers: { authorization } }) => {
    if (authorization === undefined) throw refusal('Send Authorization: Bearer <user token>')
    const token = /^bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]
    if (token === undefined) throw refusal('The Authorization header is not of the form: Bearer <user token>')
    const principal = await tokens.verify(token)
    const { isRevoked, movedTo } = await access.of(principal.application_id)
    if (isRevoked) throw refusal('The application was revoked')
    if (movedTo !== null && method !== 'GET' && method !== 'HEAD') throw moved(movedTo, cells.get(movedTo))
    return principal
  }
}

/** Without a Location: the other cell does not know the token. */
function moved(cell: string, base: string | undefined): Problem {
  const use = base === undefined ? '' : ` and use it at ${base}`
  return new Problem('wrong_cell', `This belongs to the cell ${cell}: issue a new user token${use}`)
}

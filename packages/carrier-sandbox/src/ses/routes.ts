import { Router } from 'express'
import type { SesAccount } from './account.ts'
import { authenticate } from './authenticate.ts'
import { errors, sendError } from './errors.ts'
import { getAccount } from './get-account.ts'
import { identityRoutes } from './identity-routes.ts'
import { type SendContext, sendEmail } from './send-email.ts'

/** What SES's stand-in needs. */
export interface SesContext extends SendContext {
  accounts: readonly SesAccount[]
}

/** The SES API, version 2, limited to what sending needs. */
export function sesRoutes(context: SesContext): Router {
  return Router()
    .use(authenticate(context.accounts))
    .post('/v2/email/outbound-emails', sendEmail(context))
    .get('/v2/email/account', getAccount(context.log))
    .use('/v2/email/identities', identityRoutes(context.identities))
    .use((_req, res) => sendError(res, errors.unknownOperation()))
}

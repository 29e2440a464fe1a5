import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import type { SesCaller } from './account.ts'
import { readAddress } from './address.ts'
import { errors, sendError } from './errors.ts'
import type { Identity } from './identity.ts'
import { dkimCheck } from './identity-checks.ts'
import { CreateIdentity, PutMailFrom, PutSigning } from './identity-requests.ts'
import { dkimAttributes, identityResource } from './identity-resource.ts'
import type { IdentityStore } from './identity-store.ts'
import { readDkim } from './read-dkim.ts'
import { readJson } from './read-json.ts'

const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Identities, as far as a sender with domains of its customers needs them. */
export function identityRoutes(identities: IdentityStore): Router {
  return Router()
    .post('/', createIdentity(identities))
    .get(
      '/:identity',
      withIdentity(identities, (identity, _req, res) => void res.json(identityResource(identities, identity))),
    )
    .delete(
      '/:identity',
      withIdentity(identities, (identity, _req, res) => {
        identities.remove(res.locals.caller as SesCaller, identity.name)
        res.json({})
      }),
    )
    .put(
      '/:identity/dkim/signing',
      withIdentity(identities, (identity, req, res) => {
        const body = read(req, res, PutSigning)
        if (!body) return
        const dkim = readDkim(body.SigningAttributesOrigin === 'EXTERNAL' ? (body.SigningAttributes ?? {}) : undefined)
        if ('error' in dkim) return sendError(res, dkim.error)
        identity.dkim = dkim
        const { Tokens, Status } = dkimAttributes(identity, dkimCheck(identities.zone, identity).status)
        res.json({ DkimStatus: Status, DkimTokens: Tokens })
      }),
    )
    .put(
      '/:identity/mail-from',
      withIdentity(identities, (identity, req, res) => {
        const body = read(req, res, PutMailFrom)
        if (!body) return
        const domain = body.MailFromDomain?.toLowerCase()
        if (domain && !(domainName.test(domain) && domain.endsWith(`.${domainOf(identity)}`))) {
          return sendError(
            res,
            errors.badRequest(
              `Provided MAIL-FROM domain <${domain}> is not subdomain of the domain of the identity <${identity.name}>.`,
            ),
          )
        }
        identity.mailFrom = domain ? { domain, onFailure: body.BehaviorOnMxFailure } : undefined
        res.json({})
      }),
    )
}

function createIdentity(identities: IdentityStore): RequestHandler {
  return (req, res) => {
    const caller = res.locals.caller as SesCaller
    const body = read(req, res, CreateIdentity)
    if (!body) return
    const name = body.EmailIdentity.toLowerCase()
    const isAddress = name.includes('@')
    if (isAddress ? 'error' in readAddress(name) : !domainName.test(name)) {
      return sendError(res, errors.badRequest('Invalid email identity: it must be a domain or an email address.'))
    }
    if (identities.find(caller, name))
      return sendError(res, errors.alreadyExists(`Email identity ${name} already exist.`))
    const dkim = readDkim(body.DkimSigningAttributes)
    if ('error' in dkim) return sendError(res, dkim.error)
    const type = isAddress ? 'EMAIL_ADDRESS' : 'DOMAIN'
    const identity: Identity = { name, type, region: caller.region, dkim, mailFrom: undefined }
    identities.save(caller, identity)
    const { IdentityType, VerifiedForSendingStatus, DkimAttributes } = identityResource(identities, identity)
    res.json({ IdentityType, VerifiedForSendingStatus, DkimAttributes })
  }
}

function withIdentity(
  identities: IdentityStore,
  handle: (identity: Identity, req: Request, res: Response) => void,
): RequestHandler<{ identity: string }> {
  return (req, res) => {
    const identity = identities.find(res.locals.caller as SesCaller, req.params.identity)
    if (identity) return handle(identity, req as unknown as Request, res)
    sendError(res, errors.notFound(`Email identity ${req.params.identity} does not exist.`))
  }
}

/** The body parsed by this schema; undefined when it does not fit, after an error was answered. */
function read<S extends z.ZodType>(req: Request, res: Response, schema: S): z.output<S> | undefined {
  const json = readJson(req)
  if ('error' in json) {
    sendError(res, json.error)
    return undefined
  }
  const parsed = schema.safeParse(json.body)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  sendError(res, errors.badRequest(`${issue?.path.join('.')}: ${issue?.message}`))
  return undefined
}

function domainOf({ name }: Identity): string {
  return name.slice(name.lastIndexOf('@') + 1)
}

import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { BookedDomain, DomainBook } from './domain-book.ts'
import type { Answer, DomainContext, WithWebhook } from './stand-in.ts'

interface Tools {
  router: Router
  book: DomainBook
  withAccount(handle: (account: WithWebhook, req: Request, res: Response) => unknown): RequestHandler
  /** For paths with the `:id` of a domain; another one is not found. */
  withDomain(handle: (domain: BookedDomain, req: Request, res: Response) => unknown): RequestHandler
}

/** Makes the routes; a request without the credentials of an account is refused. */
export function domainRouter({ standIn, accounts, book }: DomainContext, make: (tools: Tools) => Router): Router {
  const withAccount: Tools['withAccount'] = (handle) => (req, res) => {
    const account = accounts.find(standIn, req)
    if (account) return void handle(account, req, res)
    const { status, body }: Answer = standIn.refused.unauthorized
    res.status(status).json(body)
  }
  return make({
    router: Router(),
    book,
    withAccount,
    withDomain: (handle) =>
      withAccount((account, req, res) => {
        const domain = book.find(account, String(req.params.id))
        return domain ? handle(domain, req, res) : res.status(404).json({})
      }),
  })
}

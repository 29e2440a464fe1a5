import { z } from 'zod'
import { type BookedDomain, newKey } from '../stand-ins/domain-book.ts'
import { domainRouter } from '../stand-ins/domain-routes.ts'
import { type DomainRoutes, jsonOf, parsed } from '../stand-ins/stand-in.ts'

const AddRequest = z.object({ Name: z.string().min(3), ReturnPathDomain: z.string().optional() })

/** The domains of the account, whose token is another than that of a server. */
export const postmarkDomains: DomainRoutes = (context) =>
  domainRouter(context, ({ router, book, withAccount, withDomain }) => {
    const check = withDomain((domain, _req, res) => {
      book.check(domain)
      return res.json(shown(domain))
    })
    return router
      .get(
        '/domains',
        withAccount((account, _req, res) => {
          const Domains = book.list(account).map(({ id, name }) => ({ ID: Number(id), Name: name }))
          res.json({ TotalCount: Domains.length, Domains })
        }),
      )
      .post(
        '/domains',
        withAccount((account, req, res) => {
          const data = parsed(AddRequest, jsonOf(req))
          if (typeof data === 'string') return res.status(422).json({ ErrorCode: 300, Message: data })
          const { Name, ReturnPathDomain = `pm-bounces.${Name}` } = data
          const records = [
            { label: 'dkim', type: 'TXT', name: `20260101pm._domainkey.${Name}`, value: newKey() },
            { label: 'return_path', type: 'CNAME', name: ReturnPathDomain, value: 'pm.mtasv.net' },
          ] as const
          return res.json(shown(book.add(account, Name, records)))
        }),
      )
      .get(
        '/domains/:id',
        withDomain((domain, _req, res) => res.json(shown(domain))),
      )
      .put('/domains/:id/verifyDkim', check)
      .put('/domains/:id/verifyReturnPath', check)
      .delete(
        '/domains/:id',
        withAccount((account, req, res) =>
          book.remove(account, String(req.params.id))
            ? res.json({ ErrorCode: 0, Message: 'Domain removed.' })
            : res.status(404).end(),
        ),
      )
  })

/** A key that is not verified yet is pending. */
function shown({ id, name, records }: BookedDomain) {
  const [dkim, returnPath] = records as [BookedDomain['records'][0], BookedDomain['records'][0]]
  const [host, pendingHost] = dkim.seen ? [dkim.name, ''] : ['', dkim.name]
  const [value, pendingValue] = dkim.seen ? [dkim.value, ''] : ['', dkim.value]
  return {
    ID: Number(id),
    Name: name,
    DKIMVerified: dkim.seen,
    DKIMHost: host,
    DKIMTextValue: value,
    DKIMPendingHost: pendingHost,
    DKIMPendingTextValue: pendingValue,
    ReturnPathDomain: returnPath.name,
    ReturnPathDomainVerified: returnPath.seen,
    ReturnPathDomainCNAMEValue: returnPath.value,
  }
}

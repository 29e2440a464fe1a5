import { z } from 'zod'
import { type BookedDomain, newKey } from '../stand-ins/domain-book.ts'
import { domainRouter } from '../stand-ins/domain-routes.ts'
import { type DomainRoutes, jsonOf, parsed } from '../stand-ins/stand-in.ts'

const AddRequest = z.object({ name: z.string().min(3) })

/** The domains of the team. Names of records are relative to the last two labels of the domain. */
export const resendDomains: DomainRoutes = (context) =>
  domainRouter(context, ({ router, book, withAccount, withDomain }) =>
    router
      .post(
        '/domains',
        withAccount((account, req, res) => {
          const data = parsed(AddRequest, jsonOf(req))
          if (typeof data === 'string')
            return res.status(422).json({ statusCode: 422, name: 'validation_error', message: data })
          const { name } = data
          const records = [
            { label: 'SPF', type: 'MX', name: `send.${name}`, value: 'feedback-smtp.us-east-1.amazonses.com' },
            { label: 'SPF', type: 'TXT', name: `send.${name}`, value: 'v=spf1 include:amazonses.com ~all' },
            { label: 'DKIM', type: 'TXT', name: `resend._domainkey.${name}`, value: newKey() },
          ] as const
          return res.status(201).json(shown(book.add(account, name, records)))
        }),
      )
      .get(
        '/domains/:id',
        withDomain((domain, _req, res) => res.json(shown(domain))),
      )
      .post(
        '/domains/:id/verify',
        withDomain((domain, _req, res) => {
          book.check(domain)
          return res.json({ object: 'domain', id: domain.id })
        }),
      )
      .delete(
        '/domains/:id',
        withAccount((account, req, res) =>
          res
            .status(book.remove(account, String(req.params.id)) ? 200 : 404)
            .json({ object: 'domain', id: req.params.id, deleted: true }),
        ),
      ),
  )

/** What a listed domain shows. */
export const listed = ({ id, name, records }: BookedDomain) => ({
  id,
  name,
  status: records.every(({ seen }) => seen) ? 'verified' : 'pending',
})

function shown(domain: BookedDomain) {
  const zone = domain.name.split('.').slice(-2).join('.')
  return {
    ...listed(domain),
    records: domain.records.map(({ label: record, type, name, value, seen }) => ({
      record,
      name: name.slice(0, -zone.length - 1),
      type,
      ttl: 'Auto',
      status: seen ? 'verified' : 'not_started',
      value,
      ...(type === 'MX' && { priority: 10 }),
    })),
  }
}

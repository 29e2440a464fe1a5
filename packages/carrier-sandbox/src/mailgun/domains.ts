import { parse } from 'node:querystring'
import type { Response } from 'express'
import { type BookedDomain, newKey } from '../stand-ins/domain-book.ts'
import { domainRouter } from '../stand-ins/domain-routes.ts'
import type { DomainRoutes } from '../stand-ins/stand-in.ts'

/** The domains of the account besides that of the provider, which is active. */
export const mailgunDomains: DomainRoutes = (context) =>
  domainRouter(context, ({ router, book, withAccount, withDomain }) => {
    const show = (domain: BookedDomain, res: Response) => res.json(shown(domain))
    return router
      .post(
        '/v4/domains',
        withAccount((account, req, res) => {
          const { name } = parse(Buffer.isBuffer(req.body) ? req.body.toString() : '')
          if (typeof name !== 'string') return res.status(400).json({ message: 'Missing mandatory parameter: name' })
          const records = [
            { label: 'spf', type: 'TXT', name, value: 'v=spf1 include:mailgun.org ~all' },
            { label: 'dkim', type: 'TXT', name: `pic._domainkey.${name}`, value: newKey() },
          ] as const
          return show(book.add(account, name, records), res)
        }),
      )
      .get(
        '/v4/domains/:id',
        withDomain((domain, _req, res) => show(domain, res)),
      )
      .put(
        '/v4/domains/:id/verify',
        withDomain((domain, _req, res) => {
          book.check(domain)
          return show(domain, res)
        }),
      )
      .delete(
        '/v3/domains/:id',
        withAccount((account, req, res) =>
          book.remove(account, String(req.params.id))
            ? res.json({ message: 'Domain has been deleted' })
            : res.status(404).end(),
        ),
      )
  })

function shown({ name, records }: BookedDomain) {
  const state = records.every(({ seen }) => seen) ? 'active' : 'unverified'
  return {
    domain: { name, state, type: 'custom' },
    sending_dns_records: [
      ...records.map(({ type: record_type, name: host, value, seen }) => ({
        record_type,
        name: host,
        value,
        valid: seen ? 'valid' : 'unknown',
      })),
      { record_type: 'CNAME', name: `email.${name}`, value: 'mailgun.org', valid: 'unknown' },
    ],
  }
}

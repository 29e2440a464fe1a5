import { z } from 'zod'
import type { BookedDomain } from '../stand-ins/domain-book.ts'
import { domainRouter } from '../stand-ins/domain-routes.ts'
import { type DomainRoutes, jsonOf, parsed } from '../stand-ins/stand-in.ts'

const AddRequest = z.object({
  domain: z.string().min(3),
  automatic_security: z.literal(true),
  custom_dkim_selector: z
    .string()
    .regex(/^[a-z0-9]{3}$/i)
    .optional(),
})
const path = '/v3/whitelabel/domains'

/** Domain authentication with automated security: CNAME records to SendGrid. */
export const sendgridDomains: DomainRoutes = (context) =>
  domainRouter(context, ({ router, book, withAccount, withDomain }) =>
    router
      .get(
        path,
        withAccount((account, req, res) => {
          const wanted = book.list(account).filter(({ name }) => name.includes(String(req.query.domain ?? '')))
          res.json(wanted.map(shown))
        }),
      )
      .post(
        path,
        withAccount((account, req, res) => {
          const data = parsed(AddRequest, jsonOf(req))
          if (typeof data === 'string') return res.status(400).json({ errors: [{ message: data }] })
          const { domain, custom_dkim_selector: selector = 's' } = data
          const user = `u${book.list(account).length + 1}.wl.sendgrid.net`
          const records = [
            { label: 'mail_cname', type: 'CNAME' as const, name: `em1.${domain}`, value: user },
            ...[1, 2].map((nth) => ({
              ...{ label: `dkim${nth}`, type: 'CNAME' as const },
              ...{ name: `${selector}${nth}._domainkey.${domain}`, value: `${selector}${nth}.domainkey.${user}` },
            })),
          ]
          return res.status(201).json(shown(book.add(account, domain, records)))
        }),
      )
      .get(
        `${path}/:id`,
        withDomain((domain, _req, res) => res.json(shown(domain))),
      )
      .post(
        `${path}/:id/validate`,
        withDomain((domain, _req, res) => {
          book.check(domain)
          const { id, valid, dns } = shown(domain)
          const validation_results = Object.fromEntries(
            Object.entries(dns).map(([name, record]) => [name, { valid: record.valid, reason: null }]),
          )
          res.json({ id, valid, validation_results })
        }),
      )
      .delete(
        `${path}/:id`,
        withAccount((account, req, res) => res.status(book.remove(account, String(req.params.id)) ? 204 : 404).end()),
      ),
  )

function shown({ id, name, records }: BookedDomain) {
  const dns = Object.fromEntries(
    records.map(({ label, type, name: host, value: data, seen: valid }) => [
      label,
      { type: type.toLowerCase(), host, data, valid },
    ]),
  )
  const [subdomain] = ['em1']
  return { id: Number(id), domain: name, subdomain, valid: records.every(({ seen }) => seen), dns }
}

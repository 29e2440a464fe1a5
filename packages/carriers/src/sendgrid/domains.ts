import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type DescribedDomain, defineHttpDomains } from '../http-domains.ts'
import type { CarrierRecord } from '../sender.ts'
import type { SendgridCredentials } from './credentials.ts'
import { apiOf } from './hosts.ts'

const Entry = z.object({
  type: z.string().transform((type) => type.toUpperCase()),
  host: z.string().min(1),
  data: z.string().min(1),
  valid: z.boolean().catch(false),
})
const Domain = z.object({
  id: z.coerce.string(),
  domain: z.string(),
  valid: z.boolean(),
  dns: z.record(z.string(), Entry),
})
const path = '/v3/whitelabel/domains'

/**
 * Domain authentication: three CNAME records.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/domain-authentication
 */
export const sendgridDomains = defineHttpDomains<SendgridCredentials>({
  ...apiOf,
  async find(api, domain) {
    const found = z.array(Domain).safeParse(await api.call('GET', `${path}?domain=${domain}&limit=50`)).data ?? []
    const own = found.find((one) => one.domain === domain)
    return own && described(own)
  },
  async add(api, domain, { api_key }) {
    const asked = { domain, automatic_security: true, custom_dkim_selector: selectorOf(api_key) }
    return described(Domain.parse(await api.call('POST', path, asked)))
  },
  async check(api, { reference }) {
    await api.call('POST', `${path}/${reference}/validate`)
    const checked = Domain.safeParse(await api.call('GET', `${path}/${reference}`)).data
    return checked && described(checked)
  },
  remove: (api, reference) => api.call('DELETE', `${path}/${reference}`),
})

/** Three letters or digits: with SendGrid's own selectors, the records of two accounts would need the same names. */
function selectorOf(apiKey: string): string {
  const number = createHash('sha256').update(apiKey).digest().readUInt32BE()
  return (number % 36 ** 3).toString(36).padStart(3, '0')
}

function described({ id: reference, valid: verified, dns }: z.output<typeof Domain>): DescribedDomain {
  return { reference, verified, records: Object.entries(dns).flatMap(recordOf) }
}

function recordOf([name, { type, host, data, valid: seen }]: [string, z.output<typeof Entry>]): CarrierRecord[] {
  const purpose = name.startsWith('dkim') ? 'dkim' : 'mail_from'
  const record = { purpose, name: host, value: data, seen } as const
  if (type === 'MX') return [{ ...record, type, priority: 10 }]
  return type === 'CNAME' || type === 'TXT' ? [{ ...record, type }] : []
}

import { z } from 'zod'
import { type DescribedDomain, type DomainApi, defineHttpDomains } from '../http-domains.ts'
import type { MailgunCredentials } from './credentials.ts'
import { apiOf } from './hosts.ts'

const Domain = z.object({
  domain: z.object({ name: z.string(), state: z.string() }),
  sending_dns_records: z
    .array(z.object({ record_type: z.string(), name: z.string(), value: z.string(), valid: z.string().catch('') }))
    .catch([]),
})

/** A name belongs to one account of a region. */
const referenceOf = (name: string, { region }: MailgunCredentials) => `${region}/${name}`

/**
 * Domains of the account: an SPF record and a DKIM key. The CNAME record for the tracking of clicks is left out.
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/domains
 */
export const mailgunDomains = defineHttpDomains<MailgunCredentials>({
  ...apiOf,
  find: (api, name, _reference, credentials) => read(api, name, referenceOf(name, credentials)),
  async add(api, name, credentials) {
    await api.call('POST', '/v4/domains', new URLSearchParams({ name }))
    const added = await read(api, name, referenceOf(name, credentials))
    if (!added) throw new Error('The carrier has not added the domain')
    return added
  },
  async check(api, { reference }, name) {
    await api.call('PUT', `/v4/domains/${name}/verify`)
    return read(api, name, reference)
  },
  remove: (api, reference) => api.call('DELETE', `/v3/domains/${reference.slice(reference.indexOf('/') + 1)}`),
})

async function read(api: DomainApi, name: string, reference: string): Promise<DescribedDomain | undefined> {
  const body = await api.call('GET', `/v4/domains/${name}`)
  if (body === undefined) return undefined
  const { domain, sending_dns_records } = Domain.parse(body)
  const texts = sending_dns_records.filter(({ record_type }) => record_type === 'TXT')
  return {
    reference,
    verified: domain.state === 'active',
    records: texts.map(({ name: host, value, valid }) => ({
      purpose: value.startsWith('v=spf1') ? 'spf' : 'dkim',
      type: 'TXT',
      name: host,
      value,
      seen: valid === 'valid',
    })),
  }
}

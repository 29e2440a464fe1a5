import { z } from 'zod'
import { DomainsUnmanaged } from '../domains-unmanaged.ts'
import { type DescribedDomain, type DomainApi, defineHttpDomains } from '../http-domains.ts'
import type { CarrierRecord } from '../sender.ts'
import type { PostmarkCredentials } from './credentials.ts'

const Text = z.string().catch('')
const Domain = z.object({
  ID: z.coerce.string(),
  Name: z.string(),
  DKIMVerified: z.boolean().catch(false),
  DKIMHost: Text,
  DKIMTextValue: Text,
  /** Of a key that is not verified yet. */
  DKIMPendingHost: Text,
  DKIMPendingTextValue: Text,
  ReturnPathDomain: Text,
  ReturnPathDomainVerified: z.boolean().catch(false),
  ReturnPathDomainCNAMEValue: Text,
})
const Listed = z.object({ Domains: z.array(z.object({ ID: z.coerce.string(), Name: z.string() })) })
const perPage = 500
const mostPages = 20

/**
 * Domains of the account: a DKIM key, and a CNAME for bounces, which is optional.
 * @see https://postmarkapp.com/developer/api/domains-api
 */
export const postmarkDomains = defineHttpDomains<PostmarkCredentials>({
  standInPath: '/postmark',
  baseUrlOf: () => 'https://api.postmarkapp.com',
  headersOf({ account_token }) {
    if (!account_token) throw new DomainsUnmanaged('The provider has no account API token, which manages domains')
    return { 'x-postmark-account-token': account_token }
  },
  async find(api, domain, reference) {
    const known = reference && (await read(api, reference))
    if (known) return known
    for (let page = 0; page < mostPages; page++) {
      const { Domains } = Listed.parse(await api.call('GET', `/domains?count=${perPage}&offset=${page * perPage}`))
      const own = Domains.find(({ Name }) => Name === domain)
      if (own) return read(api, own.ID)
      if (Domains.length < perPage) return undefined
    }
    return undefined
  },
  add: async (api, Name) =>
    described(Domain.parse(await api.call('POST', '/domains', { Name, ReturnPathDomain: `pm-bounces.${Name}` }))),
  async check(api, { reference }) {
    await api.call('PUT', `/domains/${reference}/verifyDkim`)
    await api.call('PUT', `/domains/${reference}/verifyReturnPath`)
    return read(api, reference)
  },
  remove: (api, reference) => api.call('DELETE', `/domains/${reference}`),
})

async function read(api: DomainApi, reference: string): Promise<DescribedDomain | undefined> {
  const body = await api.call('GET', `/domains/${reference}`)
  return body === undefined ? undefined : described(Domain.parse(body))
}

function described(domain: z.output<typeof Domain>): DescribedDomain {
  const { ID: reference, DKIMVerified: verified } = domain
  const records: CarrierRecord[] = [
    {
      purpose: 'dkim',
      type: 'TXT',
      name: domain.DKIMPendingHost || domain.DKIMHost,
      value: domain.DKIMPendingTextValue || domain.DKIMTextValue,
      seen: verified && !domain.DKIMPendingHost,
    },
    {
      purpose: 'mail_from',
      type: 'CNAME',
      name: domain.ReturnPathDomain,
      value: domain.ReturnPathDomainCNAMEValue,
      seen: domain.ReturnPathDomainVerified,
    },
  ]
  return { reference, verified, records: records.filter(({ name, value }) => name && value) }
}

import { z } from 'zod'
import { type DescribedDomain, type DomainApi, defineHttpDomains } from '../http-domains.ts'
import type { CarrierRecord } from '../sender.ts'
import type { ResendCredentials } from './credentials.ts'
import { apiOf } from './hosts.ts'

const Entry = z.object({
  record: z.string(),
  name: z.string(),
  type: z.enum(['TXT', 'CNAME', 'MX']),
  value: z.string(),
  status: z.string().catch(''),
  priority: z.coerce.number().int().optional().catch(undefined),
})
const Domain = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  records: z.array(z.unknown()).catch([]),
})
const Listed = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string() })),
  has_more: z.boolean().catch(false),
})
const mostPages = 20

/**
 * Domains of the team: a DKIM key, and MX and SPF records of a subdomain for bounces.
 * @see https://resend.com/docs/api-reference/domains/create-domain
 */
export const resendDomains = defineHttpDomains<ResendCredentials>({
  ...apiOf,
  async find(api, domain, reference) {
    const known = reference && (await read(api, reference))
    if (known) return known
    let after = ''
    for (let page = 0; page < mostPages; page++) {
      const { data, has_more } = Listed.parse(await api.call('GET', `/domains?limit=100${after}`))
      const own = data.find(({ name }) => name === domain)
      if (own) return read(api, own.id)
      if (!has_more) return undefined
      after = `&after=${data.at(-1)?.id}`
    }
    return undefined
  },
  add: async (api, name) => described(Domain.parse(await api.call('POST', '/domains', { name }))),
  async check(api, { reference }) {
    await api.call('POST', `/domains/${reference}/verify`)
    return read(api, reference)
  },
  remove: (api, reference) => api.call('DELETE', `/domains/${reference}`),
})

async function read(api: DomainApi, id: string): Promise<DescribedDomain | undefined> {
  const body = await api.call('GET', `/domains/${id}`)
  return body === undefined ? undefined : described(Domain.parse(body))
}

function described({ id: reference, name: domain, status, records }: z.output<typeof Domain>): DescribedDomain {
  const entries = records.flatMap((record) => Entry.safeParse(record).data ?? [])
  const zone = zoneOf(domain, entries)
  return { reference, verified: status === 'verified', records: entries.flatMap((entry) => recordOf(entry, zone)) }
}

/** Names of records are relative to the registered domain, which the name of the DKIM record gives away. */
function zoneOf(domain: string, entries: readonly z.output<typeof Entry>[]): string {
  const dkim = entries.find(({ record }) => record === 'DKIM')?.name ?? ''
  const [, subdomain = ''] = dkim.split('._domainkey.')
  return subdomain && domain.startsWith(`${subdomain}.`) ? domain.slice(subdomain.length + 1) : domain
}

function recordOf(
  { record, name, type, value, status, priority }: z.output<typeof Entry>,
  zone: string,
): CarrierRecord[] {
  if (record !== 'DKIM' && record !== 'SPF') return []
  const purpose = record === 'DKIM' ? 'dkim' : 'mail_from'
  const seen = status === 'verified'
  return [{ purpose, type, name: `${name}.${zone}`, value, seen, ...(type === 'MX' && { priority: priority ?? 10 }) }]
}

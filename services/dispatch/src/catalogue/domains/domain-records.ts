import { kinds } from '@notify/carriers/kinds'
import type { Domain, DomainRecord } from '@notify/contracts'
import type { DomainAtCarrier, RecordKey } from '../../db/domain-tables.ts'
import { mergedSpf, recordsOfCarriers, spfOf } from './carrier-records.ts'
import type { DomainRow } from './domain-store.ts'

/** A record for the customer to publish. */
export type RecordToPublish = Omit<DomainRecord, 'status' | 'found' | 'error' | 'needed_by'> & { key: RecordKey }

const ttl = 3600
const { mailFrom } = kinds.ses
const mailFromLabel = 'bounce'

/** The bounce domain of a sending domain. */
export function mailFromOf(domain: string): string {
  return `${mailFromLabel}.${domain}`
}

/** The records of a domain, in display order. @param include name that the domain's SPF record must include */
export function recordsOf(
  {
    domain,
    selector,
    public_key,
    mail_from_region,
  }: Pick<DomainRow, 'domain' | 'selector' | 'public_key' | 'mail_from_region'>,
  include: string,
): RecordToPublish[] {
  const text = (key: RecordKey, purpose: DomainRecord['purpose'], name: string, value: string): RecordToPublish => {
    return { key, purpose, type: 'TXT', name, value, ttl }
  }
  const own = [
    text('dkim', 'dkim', `${selector}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${public_key}`),
    text('spf', 'spf', domain, `v=spf1 include:${include} ~all`),
  ]
  if (mail_from_region === null) return own
  const name = mailFromOf(domain)
  const value = mailFrom.mailServer(mail_from_region)
  return [
    ...own,
    { key: 'mail_from_mx', purpose: 'mail_from', type: 'MX', name, value, ttl, priority: 10 },
    text('mail_from_spf', 'mail_from', name, `v=spf1 include:${mailFrom.include} ~all`),
  ]
}

const signingKinds = new Set(Object.entries(kinds).flatMap(([name, kind]) => ('regionOf' in kind ? [name] : [])))

/** Whether a carrier signs with our key, and so needs the records of it. */
const usesOurKey = ({ kind }: DomainAtCarrier) => signingKinds.has(kind)

/** The domain as returned to callers: the records of all carriers are one list. */
export function describeDomain(row: DomainRow, include: string): Domain {
  const signing = row.carriers.filter(usesOurKey).map(({ provider_id }) => provider_id)
  const spf = spfOf(row.carriers, row.domain)
  const own = recordsOf(row, include).map(({ key, ...record }): DomainRecord => {
    const { status = 'pending', found, error } = row.record_states[key] ?? {}
    // A carrier's refusal of our key is shown on the key record.
    const refusals = key === 'dkim' ? row.carriers.filter(usesOurKey).map((carrier) => carrier.error) : []
    const errors = [error, ...refusals].filter((part) => part)
    const others = key === 'spf' ? spf : []
    return {
      ...record,
      ...(others.length > 0 && {
        value: mergedSpf(
          record.value,
          others.map(({ value }) => value),
        ),
      }),
      // Found with our source alone, it still lacks that of a carrier.
      status: status === 'verified' && others.some(({ seen }) => !seen) ? 'pending' : status,
      ...(found ? { found } : {}),
      ...(errors.length > 0 ? { error: errors.join(' ') } : {}),
      needed_by: providerIds([...signing, ...others.map(({ provider_id }) => provider_id)]),
    }
  })
  return {
    domain_id: row.id,
    domain: row.domain,
    status: row.status,
    records: [...own, ...recordsOfCarriers(row.carriers, row.domain)],
    carriers: row.carriers.map(({ provider_id, kind, name, status, error, checked_at }) => ({
      provider_id: provider_id as `prov_${string}`,
      ...{ kind, name, status },
      ...(error ? { error } : {}),
      checked_at: checked_at && new Date(checked_at).toISOString(),
    })),
    verified_at: row.verified_at?.toISOString() ?? null,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
  }
}

const providerIds = (ids: readonly string[]) => [...new Set(ids)] as `prov_${string}`[]

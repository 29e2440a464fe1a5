import { kinds } from '@notify/carriers/kinds'
import type { Domain, DomainRecord } from '@notify/contracts'
import type { RecordKey } from '../../db/domain-tables.ts'
import type { DomainRow } from './domain-store.ts'

/** A record for the customer to publish. */
export type RecordToPublish = Omit<DomainRecord, 'status' | 'found' | 'error'> & { key: RecordKey }

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

/** The domain as returned to callers. */
export function describeDomain(row: DomainRow, include: string): Domain {
  return {
    domain_id: row.id,
    domain: row.domain,
    status: row.status,
    records: recordsOf(row, include).map(({ key, ...record }) => {
      const { status = 'pending', found, error } = row.record_states[key] ?? {}
      // A carrier's refusal of the key is shown on the key record.
      const errors = [error, key === 'dkim' ? row.carrier_error : null].filter((part) => part)
      return {
        ...record,
        status,
        ...(found ? { found } : {}),
        ...(errors.length > 0 ? { error: errors.join(' ') } : {}),
      }
    }),
    verified_at: row.verified_at?.toISOString() ?? null,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
  }
}

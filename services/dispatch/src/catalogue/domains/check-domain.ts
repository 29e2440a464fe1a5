import { kinds } from '@notify/carriers/kinds'
import { checkDkim, checkMailFrom, checkSpf, type Finding, type Lookup, withLookup } from '@notify/email-authentication'
import type { Config } from '../../config.ts'
import { type RecordToPublish, recordsOf } from './domain-records.ts'
import type { DomainRow } from './domain-store.ts'
import type { Findings } from './judge-domain.ts'

/** Looks up all records of a domain concurrently; missing responses count as `unknown`. */
export function checkDomain(config: Config, row: DomainRow): Promise<Findings> {
  const settings = { servers: config.DNS_SERVERS ?? [], timeoutMs: config.DNS_TIMEOUT }
  return withLookup(settings, async (lookup) => {
    const records = recordsOf(row, config.SPF_INCLUDE)
    const entries = records.map(async (record) => [record.key, await checkRecord(lookup, config, row, record)] as const)
    return Object.fromEntries(await Promise.all(entries))
  })
}

function checkRecord(lookup: Lookup, config: Config, row: DomainRow, record: RecordToPublish): Promise<Finding> {
  const { name } = record
  switch (record.key) {
    case 'dkim':
      return checkDkim(lookup, { name, domain: row.domain, publicKey: row.public_key })
    case 'spf':
      return checkSpf(lookup, { name, include: config.SPF_INCLUDE })
    case 'mail_from_mx':
      return checkMailFrom(lookup, { name, exchange: record.value })
    case 'mail_from_spf':
      return checkSpf(lookup, { name, include: kinds.ses.mailFrom.include })
  }
}

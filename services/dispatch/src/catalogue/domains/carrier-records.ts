import type { CarrierRecord } from '@notify/carriers/sending'
import type { DomainRecord } from '@notify/contracts'
import type { DomainAtCarrier } from '../../db/domain-tables.ts'

/** The sources that an SPF record names, without its version and its final `all`. */
const spfTerms = (value: string) => value.split(/\s+/).filter((term) => !/^(?:v=spf1|[-~?+]?all)$/i.test(term))

const isSpf = ({ type, value }: Pick<CarrierRecord, 'type' | 'value'>) => type === 'TXT' && /^v=spf1\b/i.test(value)

/** A name may have one SPF record, so the sources of all carriers go into ours. */
export function mergedSpf(value: string, more: readonly string[]): string {
  const terms = new Set([value, ...more].flatMap(spfTerms))
  return ['v=spf1', ...terms, '~all'].join(' ')
}

/** The SPF records that carriers need at the same name as ours. */
export function spfOf(carriers: readonly DomainAtCarrier[], name: string) {
  return carriers.flatMap(({ provider_id, records }) =>
    records
      .filter((record) => isSpf(record) && nameOf(record.name) === name)
      .map(({ value, seen }) => ({ provider_id, value, seen })),
  )
}

const nameOf = (name: string) => name.toLowerCase().replace(/\.$/, '')
/** Texts count letter by letter, host names do not. */
const targetOf = ({ type, value }: CarrierRecord) => (type === 'TXT' ? value : nameOf(value))

const ttl = 3600

/** The records that carriers made for a domain, each once, in the order of the carriers. @param spfName the name of our SPF record */
export function recordsOfCarriers(carriers: readonly DomainAtCarrier[], spfName: string): DomainRecord[] {
  const known = new Map<string, DomainRecord>()
  for (const { provider_id, records } of carriers) {
    for (const record of records) {
      const name = nameOf(record.name)
      if (isSpf(record) && name === spfName) continue
      const { purpose, type, priority, seen } = record
      const value = targetOf(record)
      const key = `${type} ${name} ${value}`
      const one = known.get(key) ?? { purpose, type, name, value, ttl, status: 'pending', needed_by: [] }
      known.set(key, {
        ...one,
        ...(priority !== undefined && { priority }),
        status: seen ? 'verified' : one.status,
        needed_by: [...one.needed_by, provider_id as `prov_${string}`],
      })
    }
  }
  return [...known.values()]
}

import { randomBytes } from 'node:crypto'
import type { DnsRecord } from '../dns/record.ts'
import type { Zone } from '../dns/zone.ts'

/** A record that a domain needs, and whether the DNS has it. */
export interface WantedRecord {
  label: string
  type: 'TXT' | 'CNAME' | 'MX'
  name: string
  value: string
  seen: boolean
}

/** A sending domain of an account. Carriers look up its records only when they are asked to. */
export interface BookedDomain {
  id: string
  name: string
  records: WantedRecord[]
}

/** The sending domains of accounts. */
export interface DomainBook {
  list(account: object): BookedDomain[]
  find(account: object, idOrName: string): BookedDomain | undefined
  /** @param records of the domain, without whether they are seen */
  add(account: object, name: string, records: readonly Omit<WantedRecord, 'seen'>[]): BookedDomain
  /** Looks up the records. */
  check(domain: BookedDomain): void
  remove(account: object, idOrName: string): boolean
}

export function createDomainBook(zone: Zone): DomainBook {
  const domains = new WeakMap<object, BookedDomain[]>()
  const of = (account: object) => domains.get(account) ?? []
  const isNamed = (wanted: string) => (domain: BookedDomain) => domain.id === wanted || domain.name === wanted
  let lastId = 0
  return {
    list: of,
    find: (account, wanted) => of(account).find(isNamed(wanted)),
    add(account, name, records) {
      const domain = { id: String(++lastId), name, records: records.map((record) => ({ ...record, seen: false })) }
      domains.set(account, [...of(account), domain])
      return domain
    },
    check(domain) {
      for (const record of domain.records) record.seen = zone.find(record.name).records.some(isLike(record))
    },
    remove(account, wanted) {
      const kept = of(account).filter((domain) => !isNamed(wanted)(domain))
      const isKnown = kept.length < of(account).length
      domains.set(account, kept)
      return isKnown
    },
  }
}

/** An SPF record may name more senders than this one. */
function isLike({ type, value }: WantedRecord) {
  const [, include] = /^v=spf1 (include:\S+)/.exec(value) ?? []
  return (record: DnsRecord) =>
    record.type === type && (include ? record.value.split(' ').includes(include) : record.value === value)
}

/** A public key, as far as nobody verifies a signature with it. */
export const newKey = () => `k=rsa; p=${randomBytes(32).toString('base64')}`

import type { DnsRecord, Fault } from './record.ts'

/** What the zone holds for a name. */
export interface Found {
  /** Every record of the name. */
  records: readonly DnsRecord[]
  /** False when neither this name nor a name below it exists. */
  exists: boolean
  fault: Fault | undefined
}

/** The records that the DNS server answers from: records that were set override the built-in ones, by name. */
export class Zone {
  readonly #builtIn: ReadonlyMap<string, readonly DnsRecord[]>
  readonly #set = new Map<string, readonly DnsRecord[]>()

  constructor(builtIn: readonly DnsRecord[]) {
    this.#builtIn = byName(builtIn)
  }

  /** Replaces all records of the names that these records have; other names are unchanged. */
  replace(records: readonly DnsRecord[]): void {
    for (const [name, ofName] of byName(records)) this.#set.set(name, ofName)
  }

  /** Removes what was set; the built-in records apply again. */
  clear(): void {
    this.#set.clear()
  }

  /** What was set, in the order in which the names first appeared. */
  get records(): DnsRecord[] {
    return [...this.#set.values()].flat()
  }

  find(name: string): Found {
    const asked = name.toLowerCase()
    const records = this.#set.get(asked) ?? this.#builtIn.get(asked) ?? []
    const fault = records.find((record) => record.type === 'FAULT')
    return { records, exists: records.length > 0 || this.#hasNameBelow(asked), fault: fault?.value }
  }

  /** A name without records exists when a name below it exists. */
  #hasNameBelow(name: string): boolean {
    const ending = `.${name}`
    for (const names of [this.#set, this.#builtIn]) {
      for (const known of names.keys()) if (known.endsWith(ending)) return true
    }
    return false
  }
}

function byName(records: readonly DnsRecord[]): Map<string, DnsRecord[]> {
  const found = new Map<string, DnsRecord[]>()
  for (const record of records) {
    const ofName = found.get(record.name)
    if (ofName) ofName.push(record)
    else found.set(record.name, [record])
  }
  return found
}

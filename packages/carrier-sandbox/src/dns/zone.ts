import type { DnsRecord, Fault } from './record.ts'

/** What is known about a name. */
export interface Found {
  /** Every record of the name. */
  records: readonly DnsRecord[]
  /** False when neither it nor a name below it exists. */
  exists: boolean
  fault: Fault | undefined
}

/** The records that the DNS server answers from: the built-in ones, and over them those that were set, by name. */
export class Zone {
  readonly #builtIn: ReadonlyMap<string, readonly DnsRecord[]>
  readonly #set = new Map<string, readonly DnsRecord[]>()

  constructor(builtIn: readonly DnsRecord[]) {
    this.#builtIn = byName(builtIn)
  }

  /** Puts these records in the place of all that was set for their names; other names stay as they are. */
  replace(records: readonly DnsRecord[]): void {
    for (const [name, ofName] of byName(records)) this.#set.set(name, ofName)
  }

  /** Forgets what was set; the built-in records come back. */
  clear(): void {
    this.#set.clear()
  }

  /** What was set, in the order of the first mention of the names. */
  get records(): DnsRecord[] {
    return [...this.#set.values()].flat()
  }

  find(name: string): Found {
    const asked = name.toLowerCase()
    const records = this.#set.get(asked) ?? this.#builtIn.get(asked) ?? []
    const fault = records.find((record) => record.type === 'FAULT')
    return { records, exists: records.length > 0 || this.#hasNameBelow(asked), fault: fault?.value }
  }

  /** A name without records exists when there is one below it. */
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

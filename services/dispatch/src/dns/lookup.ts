import type { MxRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'

/**
 * What DNS says of a name. Absence (NXDOMAIN, or no record of the type) is a fact; trouble says nothing of the records.
 */
export type Answer<Item> =
  | { kind: 'records'; records: Item[] }
  | { kind: 'absent'; alias?: string }
  | { kind: 'trouble'; reason: string }

export interface Lookup {
  /** TXT records, the strings of each joined without separator (RFC 7208 3.3); an alias is followed. */
  txt(name: string): Promise<Answer<string>>
  mx(name: string): Promise<Answer<MxRecord>>
  /** IPv4 and IPv6 addresses. */
  addresses(name: string): Promise<Answer<string>>
}

export interface LookupSettings {
  /** Addresses of resolvers, `ip` or `ip:port`; the system's when there are none. */
  servers: readonly string[]
  /** Longest wait for all the answers together, in milliseconds. */
  timeoutMs: number
}

const tries = 2
/** Waits double from try to try, so two tries of a name fit twice into the whole time. */
const partOfTheTime = 6
const longestAlias = 5

const absence = new Set(['ENOTFOUND', 'ENODATA'])
const troubles: Record<string, string> = {
  ESERVFAIL: 'the name servers fail (SERVFAIL)',
  EREFUSED: 'the name servers refuse to answer (REFUSED)',
  ETIMEOUT: 'the name servers did not answer in time',
  ECANCELLED: 'the name servers did not answer in time',
  ECONNREFUSED: 'the resolver cannot be reached',
  EBADRESP: 'the answer cannot be read',
  EFORMERR: 'the name servers do not understand the question (FORMERR)',
  ENOTIMP: 'the name servers do not answer such questions (NOTIMP)',
}

/** Asks DNS for as long as `work` takes, and no longer than the time given: what is late is trouble. */
export async function withLookup<T>(settings: LookupSettings, work: (lookup: Lookup) => Promise<T>): Promise<T> {
  const resolver = new Resolver({ timeout: Math.ceil(settings.timeoutMs / partOfTheTime), tries })
  if (settings.servers.length > 0) resolver.setServers([...settings.servers])
  let late = false
  const timer = setTimeout(() => {
    late = true
    resolver.cancel()
  }, settings.timeoutMs)
  // One check asks for the same names several times: each is asked once, and has one answer throughout.
  const asked = new Map<string, Promise<Answer<unknown>>>()
  const ask = <Item>(type: string, name: string, query: () => Promise<Item[]>): Promise<Answer<Item>> => {
    const key = `${type} ${name}`
    const answer = asked.get(key) ?? (late ? Promise.resolve(troubleOf('ETIMEOUT')) : answerOf(query))
    asked.set(key, answer)
    return answer as Promise<Answer<Item>>
  }
  const textsOf = async (name: string) => (await resolver.resolveTxt(name)).map(textOf)
  const txt = async (name: string, aliases = 0): Promise<Answer<string>> => {
    const answer = await ask('TXT', name, () => textsOf(name))
    if (answer.kind !== 'absent' || aliases === longestAlias) return answer
    // A resolver follows an alias by itself; this one leads nowhere, or the server asked is no resolver.
    const alias = await ask('CNAME', name, () => resolver.resolveCname(name))
    const target = alias.kind === 'records' ? alias.records[0] : undefined
    if (!target) return alias.kind === 'trouble' ? alias : answer
    const followed = await txt(target.toLowerCase(), aliases + 1)
    return followed.kind === 'absent' ? { kind: 'absent', alias: target } : followed
  }
  try {
    return await work({
      txt,
      mx: (name) => ask('MX', name, () => resolver.resolveMx(name)),
      async addresses(name) {
        const answers = await Promise.all([
          ask('A', name, () => resolver.resolve4(name)),
          ask('AAAA', name, () => resolver.resolve6(name)),
        ])
        const records = answers.flatMap((answer) => (answer.kind === 'records' ? answer.records : []))
        if (records.length > 0) return { kind: 'records', records }
        return answers.find(({ kind }) => kind === 'trouble') ?? { kind: 'absent' }
      },
    })
  } finally {
    clearTimeout(timer)
    resolver.cancel()
  }
}

/** Node gives each byte as a character; what people write in a zone is UTF-8. */
function textOf(strings: readonly string[]): string {
  return Buffer.from(strings.join(''), 'latin1').toString('utf8')
}

/** Whether a resolver can be told to use these servers. */
export function areDnsServers(servers: readonly string[]): boolean {
  try {
    new Resolver().setServers([...servers])
    return servers.length > 0
  } catch {
    return false
  }
}

async function answerOf<Item>(query: () => Promise<Item[]>): Promise<Answer<Item>> {
  try {
    const records = await query()
    return records.length > 0 ? { kind: 'records', records } : { kind: 'absent' }
  } catch (error) {
    const { code = 'EBADRESP' } = error as NodeJS.ErrnoException
    return absence.has(code) ? { kind: 'absent' } : troubleOf(code)
  }
}

function troubleOf(code: string): { kind: 'trouble'; reason: string } {
  return { kind: 'trouble', reason: troubles[code] ?? `the question failed (${code})` }
}

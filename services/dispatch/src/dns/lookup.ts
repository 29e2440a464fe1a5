import type { MxRecord } from 'node:dns'
import { lookup as lookUpHost, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

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
  /** Resolvers, `host`, `host:port` or `[ipv6]:port`; the system's when there are none. */
  servers: readonly string[]
  /** Longest wait for all the answers together, in milliseconds. */
  timeoutMs: number
}

const tries = 2
/** Waits double from try to try, so two tries of a name fit twice into the whole time. */
const partOfTheTime = 6
const longestAlias = 5

const absence = new Set(['ENOTFOUND', 'ENODATA'])
const troubles = new Map([
  ['ESERVFAIL', 'the name servers fail (SERVFAIL)'],
  ['EREFUSED', 'the name servers refuse to answer (REFUSED)'],
  ['ETIMEOUT', 'the name servers did not answer in time'],
  ['ECANCELLED', 'the name servers did not answer in time'],
  ['ECONNREFUSED', 'the resolver cannot be reached'],
  ['EBADRESP', 'the answer cannot be read'],
  ['EFORMERR', 'the name servers do not understand the question (FORMERR)'],
  ['ENOTIMP', 'the name servers do not answer such questions (NOTIMP)'],
])

/** Asks DNS for as long as `work` takes, and no longer than the time given: what is late is trouble. */
export async function withLookup<T>(settings: LookupSettings, work: (lookup: Lookup) => Promise<T>): Promise<T> {
  const resolver = new Resolver({ timeout: Math.ceil(settings.timeoutMs / partOfTheTime), tries })
  /** Why nothing can be asked, or nothing any more. */
  let barred: string | undefined
  const { promise: end, resolve: reachEnd } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => {
    barred = 'ETIMEOUT'
    resolver.cancel()
    reachEnd(undefined)
  }, settings.timeoutMs)
  if (settings.servers.length > 0) {
    const addresses = await Promise.race([addressesOf(settings.servers), end])
    if (addresses?.length) resolver.setServers(addresses)
    else barred ??= 'ECONNREFUSED'
  }
  // One check asks for the same names several times: each is asked once, and has one answer throughout.
  const asked = new Map<string, Promise<Answer<unknown>>>()
  const ask = <Item>(type: string, name: string, query: () => Promise<Item[]>): Promise<Answer<Item>> => {
    const key = `${type} ${name}`
    const answer = asked.get(key) ?? (barred ? Promise.resolve(troubleOf(barred)) : answerOf(query))
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

const serverPattern = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?))(?::(\d{1,5}))?$/i

/** Whether `withLookup` can use these servers. */
export function areDnsServers(servers: readonly string[]): boolean {
  return servers.every((server) => {
    const [, bracketed, host, port = '53'] = serverPattern.exec(server) ?? []
    if (isIP(server) === 6) return true
    return (bracketed ? isIP(bracketed) === 6 : host !== undefined) && Number(port) >= 1 && Number(port) <= 65_535
  })
}

/** The servers as a resolver takes them: in containers they have names, and their addresses change. */
async function addressesOf(servers: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    servers.map(async (server) => {
      const [, , host, port = '53'] = serverPattern.exec(server) ?? []
      if (host === undefined || isIP(host) || isIP(server)) return [server]
      const addresses = await lookUpHost(host, { all: true }).catch(() => [])
      return addresses.map(({ address, family }) => (family === 6 ? `[${address}]:${port}` : `${address}:${port}`))
    }),
  )
  return found.flat()
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
  return { kind: 'trouble', reason: troubles.get(code) ?? `the question failed (${code})` }
}

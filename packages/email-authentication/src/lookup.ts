import type { MxRecord } from 'node:dns'
import { lookup as lookUpHost, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** A DNS response. Absence (NXDOMAIN, or no record of the type) is a fact; trouble says nothing about the records. */
export type Answer<Item> =
  | { kind: 'records'; records: Item[] }
  | { kind: 'absent'; alias?: string }
  | { kind: 'trouble'; reason: string }

export interface Lookup {
  /** TXT records, each with its strings joined (RFC 7208, 3.3); follows aliases. */
  txt(name: string): Promise<Answer<string>>
  mx(name: string): Promise<Answer<MxRecord>>
  /** IPv4 and IPv6 addresses. */
  addresses(name: string): Promise<Answer<string>>
}

export interface LookupSettings {
  /** Resolvers, `host`, `host:port` or `[ipv6]:port`; empty for the system's. */
  servers: readonly string[]
  /** Timeout for all responses together, in milliseconds. */
  timeoutMs: number
}

const tries = 2
/** The timeout doubles per try, so that two tries of a name fit twice into the total. */
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

/** Provides DNS lookups while `work` runs, within the timeout; later responses count as trouble. */
export async function withLookup<T>(settings: LookupSettings, work: (lookup: Lookup) => Promise<T>): Promise<T> {
  const resolver = new Resolver({ timeout: Math.ceil(settings.timeoutMs / partOfTheTime), tries })
  /** Why no further queries are possible. */
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
  // A check repeats names; each is queried once, with one response throughout.
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
    // A resolver follows aliases; this alias leads nowhere, or the server is not a resolver.
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

/** Node returns each byte as a character; zones contain UTF-8. */
function textOf(strings: readonly string[]): string {
  return Buffer.from(strings.join(''), 'latin1').toString('utf8')
}

const serverPattern = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?))(?::(\d{1,5}))?$/i

/** Whether `withLookup` accepts these servers. */
export function areDnsServers(servers: readonly string[]): boolean {
  return servers.every((server) => {
    const [, bracketed, host, port = '53'] = serverPattern.exec(server) ?? []
    if (isIP(server) === 6) return true
    return (bracketed ? isIP(bracketed) === 6 : host !== undefined) && Number(port) >= 1 && Number(port) <= 65_535
  })
}

/** Resolves the servers' names, which containers use and whose addresses change. */
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

import { DomainsUnmanaged } from './domains-unmanaged.ts'
import { createHttpClient, type HttpAnswer, type HttpCall } from './http-client.ts'
import type { CarrierRecord, DomainIdentities, DomainIdentity, Registration } from './sender.ts'
import { liveUrlOf, type StandInEnvironment } from './stand-in-url.ts'

/** Calls the part of a carrier's API that keeps domains. */
export interface DomainApi {
  /**
   * @throws DomainsUnmanaged when the credentials may not manage domains
   * @throws Error after another refusal; a domain that is not there is undefined
   */
  call(method: HttpCall['method'], path: string, body?: HttpCall['body']): Promise<unknown>
}

/** A domain as the carrier describes it. */
export interface DescribedDomain {
  /** Identifies the domain over all accounts of the carrier. */
  reference: string
  verified: boolean
  records: CarrierRecord[]
}

/** A carrier that makes the records of a domain itself, and says which of them it has seen. */
export interface HttpDomains<Credentials> {
  standInPath: `/${string}`
  baseUrlOf(credentials: Credentials): string
  /** @throws DomainsUnmanaged when the credentials lack what the API of domains needs */
  headersOf(credentials: Credentials): Record<string, string>
  find(
    api: DomainApi,
    domain: string,
    reference: string | null,
    credentials: Credentials,
  ): Promise<DescribedDomain | undefined>
  add(api: DomainApi, domain: string, credentials: Credentials): Promise<DescribedDomain>
  /** Makes the carrier look up the records now. */
  check(api: DomainApi, domain: DescribedDomain, name: string): Promise<DescribedDomain | undefined>
  remove(api: DomainApi, reference: string): Promise<unknown>
}

/** The domains of a carrier with an HTTP API. A domain that the account had before is used, and never removed. */
export function defineHttpDomains<Credentials>(
  carrier: HttpDomains<Credentials>,
): DomainIdentities<Credentials, StandInEnvironment> {
  return {
    async sync(credentials, { domain, key, known }, { timeoutMs, environment, note }) {
      const baseUrl = liveUrlOf(carrier, credentials, environment)
      const headers = carrier.headersOf(credentials)
      const client = createHttpClient({ timeoutMs, maxConnections: 1 })
      const api: DomainApi = {
        call: async (method, path, body) => bodyOf(await client.call({ method, url: baseUrl + path, headers, body })),
      }
      try {
        const add = () => addTo(carrier, api, { domain, known, credentials, note })
        if (key) return await register(carrier, api, { domain, known, credentials, add })
        if (known?.isOurs) {
          const reference = known.reference ?? (await carrier.find(api, domain, null, credentials))?.reference
          if (reference !== undefined) await carrier.remove(api, reference)
        }
        return undefined
      } finally {
        client.close()
      }
    },
  }
}

/** More than any carrier needs. */
const mostRecords = 20

interface Registering<Credentials> extends Pick<DomainIdentity, 'domain' | 'known'> {
  credentials: Credentials
  add(): Promise<DescribedDomain>
}

async function register<Credentials>(
  carrier: HttpDomains<Credentials>,
  api: DomainApi,
  { domain, known, credentials, add }: Registering<Credentials>,
): Promise<Registration> {
  const found = await carrier.find(api, domain, known?.reference ?? null, credentials)
  const there = found ?? (await add())
  // With other credentials it may be found in another account, which had it before.
  const isKnown = known !== null && (known.reference === null || known.reference === found?.reference)
  const isOurs = found ? isKnown && known.isOurs : true
  const checked = there.verified ? there : ((await carrier.check(api, there, domain)) ?? there)
  return { ...checked, records: checked.records.slice(0, mostRecords), isOurs }
}

interface Adding<Credentials> extends Pick<DomainIdentity, 'domain' | 'known'> {
  credentials: Credentials
  note: ((known: DomainIdentity['known']) => Promise<void>) | undefined
}

/** Adds a domain. What is noted before stays, unless the carrier has certainly not added it. */
async function addTo<Credentials>(
  carrier: HttpDomains<Credentials>,
  api: DomainApi,
  { domain, known, credentials, note }: Adding<Credentials>,
): Promise<DescribedDomain> {
  await note?.({ reference: null, isOurs: true })
  try {
    return await carrier.add(api, domain, credentials)
  } catch (error) {
    if (refusals.has(error as Error)) await note?.(known?.reference ? known : null)
    throw error
  }
}

/** Errors of answers that say that nothing was done. */
const refusals = new WeakSet<Error>()

function refused<E extends Error>(error: E): E {
  refusals.add(error)
  return error
}

const longestText = 200

function bodyOf({ status, text, body }: HttpAnswer): unknown {
  if (status === 404) return undefined
  if (status === 401 || status === 403)
    throw refused(new DomainsUnmanaged(`The carrier answered ${status}: the credentials may not manage domains`))
  const error = new Error(`The carrier answered ${status} ${text.slice(0, longestText)}`)
  if (status >= 500) throw error
  if (status >= 300) throw refused(error)
  return body ?? {}
}

import dns2 from 'dns2'
import type { DnsRecord } from './record.ts'
import type { Zone } from './zone.ts'

const { Packet } = dns2
type Packet = InstanceType<typeof Packet>
type Resource = Parameters<typeof Packet.createResourceFromQuestion>[1]

const ttlSeconds = 60
const longestChain = 8
/** Octets of one string of a TXT record: RFC 1035, 3.3. */
const longestString = 255

/** The answer to a query, or undefined when the query must stay unanswered. */
export function answerQuery(zone: Zone, request: Packet): Packet | undefined {
  const [question] = request.questions
  if (!question || request.questions.length > 1 || request.errors.length > 0) {
    return Packet.createErrorResponseFromRequest(request, Packet.RCODE.FORMERR)
  }
  const response = Packet.createResponseFromRequest(request)
  response.header.aa = 1
  response.header.ra = 1
  const { rcode, records } = lookUp(zone, question.name, question.type)
  if (rcode === undefined) return undefined
  response.header.rcode = rcode
  response.answers = records.map((record) => resourceOf(record))
  if (request.additionals.some(({ type }) => type === Packet.TYPE.EDNS)) {
    response.additionals.push(Packet.Resource.EDNS([]))
  }
  return response
}

/** Follows aliases, as a recursive resolver does; the outcome is that of the last name. */
function lookUp(zone: Zone, asked: string, type: number): { rcode: number | undefined; records: DnsRecord[] } {
  const records: DnsRecord[] = []
  let name = asked
  for (let step = 0; step < longestChain; step++) {
    const found = zone.find(name)
    if (found.fault === 'TIMEOUT') return { rcode: undefined, records: [] }
    if (found.fault) return { rcode: Packet.RCODE[found.fault], records: [] }
    if (!found.exists) return { rcode: Packet.RCODE.NXDOMAIN, records }
    const alias = found.records.find((record) => record.type === 'CNAME')
    const matching = found.records.filter(
      (record) => type === Packet.TYPE.ANY || Packet.TYPE[record.type as keyof typeof Packet.TYPE] === type,
    )
    if (!alias || matching.length > 0) return { rcode: Packet.RCODE.NOERROR, records: [...records, ...matching] }
    records.push(alias)
    name = alias.value
  }
  return { rcode: Packet.RCODE.SERVFAIL, records: [] }
}

function resourceOf(record: DnsRecord) {
  const question = new Packet.Question(record.name, typeOf(record), Packet.CLASS.IN)
  return Packet.createResourceFromQuestion(question, { ...dataOf(record), ttl: ttlSeconds })
}

function typeOf({ type }: DnsRecord): number {
  return type === 'FAULT' ? 0 : Packet.TYPE[type]
}

function dataOf(record: DnsRecord): Resource {
  if (record.type === 'TXT') return { data: stringsOf(record.value) }
  if (record.type === 'MX') return { exchange: record.value, priority: record.priority }
  if (record.type === 'CNAME') return { domain: record.value }
  if (record.type === 'NS') return { ns: record.value }
  return { address: record.value }
}

/** Split by octets, not by characters; joined without a separator, the parts are the text again. */
function stringsOf(text: string): string[] {
  const octets = Buffer.from(text)
  const strings: Buffer[] = []
  for (let at = 0; at < octets.length || at === 0; at += longestString)
    strings.push(octets.subarray(at, at + longestString))
  // The library writes buffers unchanged; its types declare strings only.
  return strings as unknown as string[]
}

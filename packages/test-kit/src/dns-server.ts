import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type dns2 from 'dns2'
import { Packet, TCPServer, UDPServer } from 'dns2'

type Failure = 'SERVFAIL' | 'REFUSED' | 'silence'
type Data =
  | { data: string | string[] }
  | { exchange: string; priority: number }
  | { domain: string }
  | { address: string }

/** An authoritative DNS server over UDP and TCP, whose zone a test writes as it goes. */
export interface DnsServer {
  /** As `DNS_SERVERS` takes it. */
  address: string
  /** Questions in the order in which they came, such as `TXT example.com`. */
  asked: string[]
  /** Sets the TXT records of a name; a list of strings is one record in several strings. */
  txt(name: string, ...records: (string | string[])[]): void
  mx(name: string, ...exchanges: string[]): void
  alias(name: string, target: string): void
  address4(name: string): void
  /** Makes every question for the name end like this. */
  fail(name: string, how: Failure): void
  /** Forgets the name, or everything. */
  clear(name?: string): void
  stop(): Promise<void>
}

const typeNames: Record<number, string> = { 1: 'A', 5: 'CNAME', 15: 'MX', 16: 'TXT', 28: 'AAAA' }

export async function startDnsServer(): Promise<DnsServer> {
  const zone = new Map<string, { failure?: Failure; records: Map<string, Data[]> }>()
  const asked: string[] = []
  const set = (name: string, type: keyof typeof Packet.TYPE, records: Data[]) => {
    zone.set(name, { records: new Map(zone.get(name)?.records).set(type, records) })
  }
  const answer: dns2.DnsHandler = (request, send) => {
    const question = request.questions[0]!
    const name = question.name.toLowerCase()
    const type = typeNames[question.type ?? 0] ?? String(question.type)
    asked.push(`${type} ${name}`)
    const known = zone.get(name)
    if (known?.failure === 'silence') return
    const response = Packet.createResponseFromRequest(request)
    if (known?.failure) response.header.rcode = Packet.RCODE[known.failure]
    else if (!known) response.header.rcode = Packet.RCODE.NXDOMAIN
    const answered = known?.records.has(type) ? type : 'CNAME'
    for (const data of known?.records.get(answered) ?? []) {
      const record = { name, type: Packet.TYPE[answered as 'TXT'], class: Packet.CLASS.IN, ttl: 0, ...data }
      response.answers.push(record as (typeof response.answers)[number])
    }
    void send(response)
  }
  const { port, close } = await listen(answer)
  return {
    address: `127.0.0.1:${port}`,
    asked,
    txt: (name, ...records) =>
      set(
        name,
        'TXT',
        records.map((data) => ({ data })),
      ),
    mx: (name, ...exchanges) =>
      set(
        name,
        'MX',
        exchanges.map((exchange) => ({ exchange, priority: 10 })),
      ),
    alias: (name, target) => set(name, 'CNAME', [{ domain: target }]),
    address4: (name) => set(name, 'A', [{ address: '192.0.2.1' }]),
    fail: (name, failure) => void zone.set(name, { failure, records: new Map() }),
    clear: (name) => (name === undefined ? zone.clear() : void zone.delete(name)),
    stop: close,
  }
}

const mostAttempts = 20

/** UDP and TCP on one port: the one that UDP was given, unless TCP finds it taken. */
async function listen(answer: dns2.DnsHandler): Promise<{ port: number; close(): Promise<void> }> {
  for (let attempt = 1; ; attempt++) {
    const udp = new UDPServer(answer)
    const tcp = new TCPServer(answer)
    await udp.listen(0, '127.0.0.1')
    const { port } = udp.address() as AddressInfo
    try {
      tcp.listen(port, '127.0.0.1')
      await once(tcp, 'listening')
      return {
        port,
        async close() {
          udp.close()
          tcp.close()
        },
      }
    } catch (error) {
      udp.close()
      if (attempt === mostAttempts) throw error
    }
  }
}

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface NameServer {
  /** `host:port` */
  address: string
  /** The names of the questions for an IPv4 address, in their order. */
  asked: string[]
  /** Answers nothing more, not even for the root. */
  isMute: boolean
  close(): void
}

const codes: Record<string, number> = { servfail: 2, missing: 3, refused: 5 }
const publicAddress = [8, 8, 8, 8]
const publicAddress6 = [0x26, 0x06, 0x47, ...Array<number>(12).fill(0), 0x11]

/**
 * A name server: the start of a name chooses the answer, `mute`, `servfail`, `refused` or `missing`; every other name has
 * an address. Questions for an IPv6 address of `four` are not answered. `lost` has an IPv6 address too, and the first question for its
 * IPv4 address is lost.
 */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  const server: NameServer = { address: '', asked: [], isMute: false, close: () => socket.close() }
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    const isFirst = !server.asked.includes(name)
    if (type === 1) server.asked.push(name)
    if (type === 1 && name.startsWith('lost') && isFirst) return
    if (server.isMute || name.startsWith('mute') || (type === 28 && name.startsWith('four'))) return
    const code = codes[name.replace(/[^a-z].*/, '')] ?? 0
    const address = type === 1 ? publicAddress : name.startsWith('lost') ? publicAddress6 : []
    const hasAddress = address.length > 0 && code === 0
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80 | code, 0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0])
    const answer = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address])
    const parts = [head, query.subarray(12, end), ...(hasAddress ? [answer] : [])]
    socket.send(Buffer.concat(parts), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  server.address = `127.0.0.1:${(socket.address() as AddressInfo).port}`
  return server
}

function questionOf(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (; query[at] !== 0; at += 1 + query[at]!) labels.push(query.toString('ascii', at + 1, at + 1 + query[at]!))
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

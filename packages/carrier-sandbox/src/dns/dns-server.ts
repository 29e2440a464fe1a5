import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import dns2 from 'dns2'
import { answerQuery } from './answer-query.ts'
import type { Zone } from './zone.ts'

/** Another program may hold the TCP port with the number of the UDP port. */
const attempts = 20

export interface DnsServer {
  /** `host:port`, as `Resolver.setServers` takes it. */
  address: string
  /** Stops listening; may be called again. */
  stop(): Promise<void>
}

/**
 * Answers from the zone over UDP and TCP on one port. A UDP answer that is too large is truncated, so that the resolver
 * asks again over TCP.
 * @param port 0 takes one that is free for both
 * @throws the system's error when it cannot listen there
 */
export async function startDnsServer(zone: Zone, host: string, port: number): Promise<DnsServer> {
  for (let left = attempts; ; left--) {
    try {
      return await listen(zone, host, port)
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (port !== 0 || !isTaken || left === 1) throw error
    }
  }
}

async function listen(zone: Zone, host: string, wanted: number): Promise<DnsServer> {
  const udp = dns2.createUDPServer({ type: host.includes(':') ? 'udp6' : 'udp4' })
  const tcp = dns2.createTCPServer()
  const connections = new Set<Socket>()
  tcp.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  for (const server of [udp, tcp]) {
    server.on('request', (request, send) => {
      const answer = answerQuery(zone, request)
      // The client has disconnected, so there is nobody to answer.
      if (answer) void Promise.resolve(send(answer)).catch(() => {})
    })
    server.on('requestError', () => {})
  }
  void udp.listen(wanted, host)
  await once(udp, 'listening')
  const { port } = udp.address()
  try {
    tcp.listen(port, host)
    await once(tcp, 'listening')
  } catch (error) {
    udp.close()
    throw error
  }
  // Errors after the start, such as an answer that cannot be sent, concern one client.
  for (const server of [udp, tcp]) server.on('error', () => {})
  const { address, family } = tcp.address() as AddressInfo
  let stopped: Promise<unknown> | undefined
  const stop = () => {
    const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')])
    udp.close()
    tcp.close()
    for (const socket of connections) socket.destroy()
    return closed
  }
  return {
    address: `${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    stop: async () => {
      stopped ??= stop()
      await stopped
    },
  }
}

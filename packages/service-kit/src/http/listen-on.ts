import { once } from 'node:events'
import type { Server } from 'node:http'

/**
 * Listens. `::` means every address, IPv6 and IPv4: without a host Node chooses them, and IPv4 alone where there is no IPv6.
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function listenOn(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  server.listen({ port, ...(host !== '::' && { host }) })
  await once(server, 'listening')
}

import type { ServiceName } from '@notify/contracts'
import { createInternalClient, createTenantRoom, type InternalClient, type TenantRoom } from '@notify/service-kit'
import { type Config, peerUrl } from '../config.ts'

/** Connections to a service, and the most that requests of one tenant take: some of them wait for seconds, as for a carrier. */
const size = { most: 64, mostOfTenant: 32 }

interface Peer extends InternalClient {
  /** For requests that are forwarded. */
  room: TenantRoom
}

/** The shared client of each service with public routes. */
export type Peers = (service: ServiceName) => Peer

export function createPeers(config: Config): Peers {
  const clients = new Map<ServiceName, Peer>()
  return (service) => {
    const known = clients.get(service)
    if (known) return known
    const client = createInternalClient(peerUrl(config, service), { connections: size.most })
    const made = { ...client, room: createTenantRoom(size) }
    clients.set(service, made)
    return made
  }
}

import type { ServiceName } from '@notify/contracts'
import {
  createInternalClient,
  createTenantRoom,
  type InternalClient,
  Problem,
  type TenantRoom,
} from '@notify/service-kit'
import { type Config, peerUrl } from '../config.ts'

/** Requests in progress in a room of a service, and the most of one tenant. */
const size = { most: 64, mostOfTenant: 32 }

/** For callers that keep failing. */
export const narrowSize = { most: 4, mostOfTenant: 2 }

interface Peer extends InternalClient {
  /** For requests that are forwarded, by tenant. */
  room: TenantRoom
  /** The same for routes that wait for other services: if one does not answer, the other routes still have their room. */
  waitingRoom: TenantRoom
  /** For links, by address: however many are opened, they do not delay requests of tenants. */
  linkRoom: TenantRoom
  /** For links from addresses that keep failing. */
  narrowRoom: TenantRoom
}

/** The shared client of each service with public routes. */
export type Peers = (service: ServiceName) => Peer

export function createPeers(config: Config): Peers {
  const clients = new Map<ServiceName, Peer>()
  return (service) => {
    const known = clients.get(service)
    if (known) return known
    const client = createInternalClient(peerUrl(config, service), { connections: 3 * size.most + narrowSize.most })
    const [room, waitingRoom, linkRoom] = [createTenantRoom(size), createTenantRoom(size), createTenantRoom(size)]
    const made = { ...client, room, waitingRoom, linkRoom, narrowRoom: createTenantRoom(narrowSize) }
    clients.set(service, made)
    return made
  }
}

/** How long a request waits for others of its owner. What is left of its time is enough for a call that does not wait. */
const waitMs = 5000

/** @throws Problem `service_unavailable` when there was no room in time */
export async function inRoom<T>(room: TenantRoom, owner: string, work: () => Promise<T>): Promise<T> {
  const leave = await room(owner, performance.now() + waitMs)
  if (!leave) {
    const headers = { 'Retry-After': '1' }
    throw new Problem('service_unavailable', 'Too many requests are in progress; try again shortly', { headers })
  }
  return work().finally(leave)
}

import type { ServiceName } from '@notify/contracts'
import { createInternalClient, type InternalClient } from '@notify/service-kit'
import { type Config, peerUrl } from '../config.ts'

/** The shared client of each service with public routes. */
export type Peers = (service: ServiceName) => InternalClient

export function createPeers(config: Config): Peers {
  const clients = new Map<ServiceName, InternalClient>()
  return (service) => {
    const known = clients.get(service)
    if (known) return known
    const made = createInternalClient(peerUrl(config, service))
    clients.set(service, made)
    return made
  }
}

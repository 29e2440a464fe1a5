import { LRUCache } from 'lru-cache'
import type { CarrierAccount } from './sender.ts'

/** Carrier clients by account, recreated when the credentials change. */
export interface ClientCache<Client> {
  /** @param variant distinguishes the clients of one account, for example their base URL */
  of(account: Pick<CarrierAccount<unknown>, 'id' | 'revision'>, variant: string, connect: () => Client): Client
  close(): void
}

const maxClients = 2000

/** @param end closes a replaced client; calls in progress may finish */
export function createClientCache<Client>(end: (client: Client) => void = () => {}): ClientCache<Client> {
  const known = new LRUCache<string, { revision: number; client: Client }>({
    max: maxClients,
    dispose: ({ client }) => end(client),
  })
  return {
    of({ id, revision }, variant, connect) {
      const key = `${id} ${variant}`
      const entry = known.get(key)
      if (entry?.revision === revision) return entry.client
      const client = connect()
      known.set(key, { revision, client })
      return client
    },
    close: () => known.clear(),
  }
}

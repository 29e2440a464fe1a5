import type { CarrierAccount } from './sender.ts'

/** Clients of carriers by account: made once, and anew when its credentials change. */
export interface ClientCache<Client> {
  /** @param place what else decides the client, for example its base address */
  of(provider: Pick<CarrierAccount<unknown>, 'id' | 'revision'>, place: string, connect: () => Client): Client
  close(): void
}

const maxClients = 2000

/** @param end closes a client that is not needed any more; calls under way may finish */
export function createClientCache<Client>(end: (client: Client) => void = () => {}): ClientCache<Client> {
  const known = new Map<string, { revision: number; client: Client }>()
  const drop = (key: string) => {
    const entry = known.get(key)
    known.delete(key)
    if (entry) end(entry.client)
  }
  return {
    of({ id, revision }, place, connect) {
      const key = `${id} ${place}`
      const entry = known.get(key)
      if (entry?.revision === revision) return entry.client
      drop(key)
      const oldest = known.keys().next()
      if (known.size >= maxClients && !oldest.done) drop(oldest.value)
      const client = connect()
      known.set(key, { revision, client })
      return client
    },
    close() {
      for (const key of [...known.keys()]) drop(key)
    },
  }
}

import pg from 'pg'

/** A message of the app of `bench peers`. */
export interface PeerMessage {
  id: string
  to: string
  body: string
}

/** The app's pool, of its own database on the stack's server. */
export function openPeerPool(): pg.Pool {
  return new pg.Pool({ connectionString: process.env.PEER_DATABASE_URL, max: 20 })
}

/** The connection of BullMQ. */
export function peerRedis(): { host: string; port: number; password: string; maxRetriesPerRequest: null } {
  const { hostname, port, password } = new URL(process.env.PEER_REDIS_URL ?? '')
  return { host: hostname, port: Number(port), password: decodeURIComponent(password), maxRetriesPerRequest: null }
}

export const queueName = 'messages'

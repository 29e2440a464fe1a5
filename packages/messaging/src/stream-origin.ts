import type { StreamInfo } from '@nats-io/jetstream'
import type { Bus } from './connect.ts'

/**
 * Identifies the server that leads a stream and its start. After a restart or an election, unsynced messages may be lost.
 */
export interface StreamOrigin {
  /** Name of the server that leads the stream. */
  leader: string
  /** Id of that server, new at each start; known only to its clients. */
  server_id?: string | undefined
  /** Time of the election, if the server reports it (2.12). */
  elected_at?: string | undefined
}

/** @param info fresh from the server */
export function originOf({ connection }: Bus, { cluster }: Pick<StreamInfo, 'cluster'>): StreamOrigin {
  const { server_name, server_id } = connection.info!
  const leader = cluster?.leader || server_name
  return {
    leader,
    ...(leader === server_name ? { server_id } : {}),
    ...(cluster?.leader_since ? { elected_at: cluster.leader_since } : {}),
  }
}

/** Whether the server was restarted, or another one elected, since `known`. */
export function hasRestarted(known: StreamOrigin, seen: StreamOrigin): boolean {
  const differ = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && one !== other
  return (
    known.leader !== seen.leader || differ(known.server_id, seen.server_id) || differ(known.elected_at, seen.elected_at)
  )
}

/** Merges two observations of one origin; each may lack parts. */
export function joinOrigins(known: StreamOrigin | null, seen: StreamOrigin): StreamOrigin {
  return known && !hasRestarted(known, seen) ? { ...known, ...seen } : seen
}

import type { StreamInfo } from '@nats-io/jetstream'
import type { Bus } from './connect.ts'

/** Which server holds a stream, and since which start: after another one began, what was not yet on disk may be gone. */
export interface StreamOrigin {
  /** Name of the server that leads the stream. */
  leader: string
  /** Id of that server, new at each of its starts. Known to those who are connected to it. */
  server_id?: string | undefined
  /** When it was elected, where the server says so (2.12). */
  elected_at?: string | undefined
}

/** @param info as the server has just answered it */
export function originOf({ connection }: Bus, { cluster }: Pick<StreamInfo, 'cluster'>): StreamOrigin {
  const { server_name, server_id } = connection.info!
  const leader = cluster?.leader || server_name
  return {
    leader,
    ...(leader === server_name ? { server_id } : {}),
    ...(cluster?.leader_since ? { elected_at: cluster.leader_since } : {}),
  }
}

/** Whether the stream's server was started, or another one elected, since it was last seen. */
export function hasBegunAnew(known: StreamOrigin, seen: StreamOrigin): boolean {
  const differ = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && one !== other
  return (
    known.leader !== seen.leader || differ(known.server_id, seen.server_id) || differ(known.elected_at, seen.elected_at)
  )
}

/** What is known after another look at the same origin: not everybody sees all of it. */
export function joinOrigins(known: StreamOrigin | null, seen: StreamOrigin): StreamOrigin {
  return known && !hasBegunAnew(known, seen) ? { ...known, ...seen } : seen
}

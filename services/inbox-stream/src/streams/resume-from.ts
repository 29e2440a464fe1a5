import type { Head } from './event-store.ts'

/** A reader that lacks more than this reloads the inbox, which is one request. */
const maxReplay = 1000

interface Resumption {
  /** Sequence after which events are sent. */
  sent: number
  /** Id of `connection.ready`. */
  id: number
  /** Whether everything after the Last-Event-ID is sent. */
  recovered: boolean
}

/** Where a stream begins: after the Last-Event-ID, or now if that is missing, not of this inbox, or too old. */
export function resumeFrom(
  lastEventId: string | undefined,
  { last_seq, pruned_seq }: Pick<Head, 'last_seq' | 'pruned_seq'>,
): Resumption {
  if (lastEventId === undefined) return { sent: last_seq, id: 0, recovered: false }
  const seq = /^\d{1,10}$/.test(lastEventId) ? Number(lastEventId) : undefined
  const isKept = seq !== undefined && seq <= last_seq && seq >= pruned_seq && last_seq - seq <= maxReplay
  return isKept ? { sent: seq, id: seq, recovered: true } : { sent: last_seq, id: last_seq, recovered: false }
}

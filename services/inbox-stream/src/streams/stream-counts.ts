import { randomUUID } from 'node:crypto'
import type { Queries } from '@notify/database'
import { coalesce, type Kit, startPeriodic } from '@notify/service-kit'
import { beatReplica } from './beat-replica.ts'
import { deleteReplica } from './delete-replica.ts'
import { saveStreamCounts } from './save-stream-counts.ts'

const beatMs = 5000
const batch = { maxBatch: 1000, maxInFlight: 1 }

/** Counts the streams of each user over all replicas. */
export interface StreamCounts {
  /** Reports an opened stream to the other replicas. @returns how many they hold; 0 when that is unknown */
  opened(inboxKey: string): Promise<number>
  /** Reports a closed stream to them. */
  closed(inboxKey: string): void
}

interface Held {
  /** Every inbox that has streams in this process. */
  keys(): Iterable<string>
  countOf(inboxKey: string): number
}

/** Whole numbers are saved, not differences, so that the next save repairs a lost one. */
export function createStreamCounts(kit: Kit, db: Queries, held: Held): StreamCounts {
  const replicaId = randomUUID()
  const unsaved = new Set<string>()
  let isOver = false
  const save = coalesce<string, number>({
    ...batch,
    async run(keys) {
      const counts = [...new Set(keys)].map((inbox_key) => ({ inbox_key, streams: held.countOf(inbox_key) }))
      const others = await saveStreamCounts(db, replicaId, counts)
      const streamsOf = new Map(others.map(({ inbox_key, streams }) => [inbox_key, streams]))
      return keys.map((key) => streamsOf.get(key) ?? 0)
    },
  })
  const saveOrRetry = async (key: string) => {
    if (isOver) return 0
    try {
      return await save(key)
    } catch (error) {
      unsaved.add(key)
      throw error
    }
  }
  startPeriodic(kit, {
    name: 'stream counts',
    everyMs: beatMs,
    async run() {
      const isKnown = await beatReplica(db, replicaId)
      const keys = [...(isKnown ? unsaved : held.keys())]
      unsaved.clear()
      await Promise.all(keys.map(saveOrRetry))
    },
  })
  kit.lifecycle.onStop('stream counts of this process', async () => {
    isOver = true
    await deleteReplica(db, replicaId)
  })
  return {
    // If the count is unknown, the user is admitted rather than refused.
    opened: (key) =>
      saveOrRetry(key).catch((error) => {
        kit.log.warn({ err: error }, 'the streams of a user at other replicas could not be counted')
        return 0
      }),
    closed: (key) => void saveOrRetry(key).catch(() => {}),
  }
}

import { Problem } from '@notify/service-kit'
import { LRUCache } from 'lru-cache'
import type { InboxOwner } from './inbox-key.ts'

/** A user who changed nothing for this long may use all of it at once. */
const burstSeconds = 5
/** Of users with recent changes; one that is forgotten may use the burst again. */
const maxKnown = 50_000

/** Counts a change that a user makes. @throws Problem `rate_limited` beyond the limit */
export type CountWrite = (user: InboxOwner) => void

/** Limits the changes of each user at this replica: each is a row for the whole retention, sent to all open streams of the user. */
export function createWriteLimit(perSecond: number, now = () => performance.now()): CountWrite {
  const most = perSecond * burstSeconds
  const buckets = new LRUCache<string, { left: number; atMs: number }>({ maxSize: maxKnown, sizeCalculation: () => 1 })
  return ({ application_id, mode, user_id }) => {
    const key = `${application_id} ${mode} ${user_id}`
    const atMs = now()
    const { left, atMs: beforeMs } = buckets.get(key) ?? { left: most, atMs }
    const refilled = Math.min(most, left + ((atMs - beforeMs) / 1000) * perSecond)
    if (refilled < 1) {
      throw new Problem('rate_limited', `This user may change ${perSecond} things per second; try again`, {
        headers: { 'Retry-After': '1' },
      })
    }
    buckets.set(key, { left: refilled - 1, atMs })
  }
}

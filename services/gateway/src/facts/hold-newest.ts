import type { ActivityStatus, NotificationFact } from '@notify/contracts'

const flushEveryMs = 250
/** How long a fact waits for a newer one of its message. */
const longestMs = 1000
/** More are passed on at once, so that consumers receive more. */
const mostHeld = 1000

/** States that another one usually follows within moments. */
const passing: ReadonlySet<ActivityStatus> = new Set(['queued', 'sent'])

/** What is compared of a fact. */
export interface Revised extends Pick<NotificationFact, 'revision'> {
  notification_id: string
  status: ActivityStatus
  /** What it costs; null or absent: as much as before. */
  credits?: number | null
}

/** The newer of two facts of a message, with the charge of the older one where it says nothing of its own. */
export function newerOf<Fact extends Revised>(one: Fact, other: Fact): Fact {
  const [older, newer] = one.revision < other.revision ? [one, other] : [other, one]
  return newer.credits == null && older.credits != null ? { ...newer, credits: older.credits } : newer
}

interface Held<Fact> {
  newest: Fact
  sinceMs: number
  written: PromiseWithResolvers<void>
}

/**
 * Holds each fact of a message that has not ended for up to a second and writes the newest: most messages end sooner. The first
 * one after a quiet second is written at once. The promise settles with the write, so only what is written is acknowledged.
 */
export function holdNewest<Fact extends Revised>(write: (fact: Fact) => Promise<void>): (fact: Fact) => Promise<void> {
  const held = new Map<string, Held<Fact>>()
  let isScheduled = false
  let writtenMs = Number.NEGATIVE_INFINITY
  const flush = () => {
    const nowMs = performance.now()
    const isFull = held.size > mostHeld
    writtenMs = nowMs
    for (const [id, { newest, sinceMs, written }] of held) {
      if (!isFull && passing.has(newest.status) && nowMs - sinceMs < longestMs) continue
      held.delete(id)
      written.resolve(write(newest))
    }
  }
  const schedule = () => {
    if (isScheduled || held.size === 0) return
    isScheduled = true
    setTimeout(() => {
      isScheduled = false
      flush()
      schedule()
    }, flushEveryMs)
  }
  return (fact) => {
    const known = held.get(fact.notification_id)
    if (known) {
      known.newest = newerOf(known.newest, fact)
      return known.written.promise
    }
    if (held.size === 0 && performance.now() - writtenMs > longestMs) {
      writtenMs = performance.now()
      return write(fact)
    }
    const written = Promise.withResolvers<void>()
    held.set(fact.notification_id, { newest: fact, sinceMs: performance.now(), written })
    if (held.size > mostHeld) flush()
    schedule()
    return written.promise
  }
}

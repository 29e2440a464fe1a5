import { isLockTimeout, type Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import { LRUCache } from 'lru-cache'
import { identityOf, type NewNotification } from './accept-item.ts'
import type { CommitOutcome } from './commit-judged.ts'
import { findTableLock } from './locked-tables.ts'

/** What requests waited for in vain a moment ago, so that the next ones need not. */
export interface HeldLocks {
  /** Idempotency keys that another transaction held. */
  keys: { add(id: string): void; has(id: string): boolean }
  /** Tables that were locked. */
  tables: { add(): void; wereLocked(): boolean }
}

/** A context with it. */
export interface WithHeldLocks {
  heldLocks: HeldLocks
}

const maxKeys = 10_000
const keyMs = 30_000
const tablesMs = 5000

export function createHeldLocks(): HeldLocks {
  // Not `max`: it reserves memory for all entries at once.
  const keys = new LRUCache<string, true>({ maxSize: maxKeys, sizeCalculation: () => 1, ttl: keyMs })
  let lockedMs = Number.NEGATIVE_INFINITY
  return {
    keys: { add: (id) => void keys.set(id, true), has: (id) => keys.has(id) },
    tables: {
      add() {
        lockedMs = performance.now()
      },
      wereLocked: () => performance.now() - lockedMs < tablesMs,
    },
  }
}

/** Remembers what was locked. @returns the outcomes */
export function noteLocks(
  held: HeldLocks,
  items: readonly NewNotification[],
  outcomes: CommitOutcome[],
): CommitOutcome[] {
  for (const [place, outcome] of outcomes.entries()) {
    if (!(outcome instanceof Problem)) continue
    const { idempotency } = items[place]!.candidate
    if (idempotency && outcome.code === 'idempotency_in_progress') held.keys.add(identityOf(idempotency))
    if (isLockTimeout(outcome)) held.tables.add()
  }
  return outcomes
}

/** @throws Problem `service_unavailable` at once when a table was locked a moment ago, and is */
export async function requireNoLock(held: HeldLocks, run: Run): Promise<void> {
  const lock = held.tables.wereLocked() ? await findTableLock(run) : undefined
  if (lock) throw lock
}

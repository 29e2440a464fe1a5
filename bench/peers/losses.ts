import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import { clearCarrierLog, readCarrierLog } from '../carrier-log.ts'

/** BullMQ finds the jobs of a dead worker within 60 s; the leases of our senders last about as long. */
const quietMs = 90_000

/** The fate of accepted messages, each to another recipient. */
interface Losses {
  accepted: number
  /** Never reached the sandbox. */
  lost: number
  /** Reached it more than once. */
  duplicated: number
  /** From the call until the last message arrived. */
  last_after_s: number
}

/** Waits until all have reached the sandbox, or none has for a while. */
export async function lossesOf(stack: Stack, accepted: readonly string[]): Promise<Losses> {
  const startedMs = performance.now()
  let last = { count: -1, atMs: 0 }
  for (;;) {
    const received = (await readCarrierLog(stack)).map(({ to }) => to)
    const nowMs = performance.now()
    if (received.length !== last.count) last = { count: received.length, atMs: nowMs }
    const distinct = new Set(received)
    const lost = accepted.filter((to) => !distinct.has(to)).length
    if (nowMs - last.atMs > quietMs) {
      await clearCarrierLog(stack)
      const last_after_s = Math.round((last.atMs - startedMs) / 1000)
      return { accepted: accepted.length, lost, duplicated: received.length - distinct.size, last_after_s }
    }
    await delay(1000)
  }
}

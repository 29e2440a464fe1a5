import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTenantTurns } from './tenant-turns.ts'

const turns = createTenantTurns({ places: 1, maxWaiting: Number.POSITIVE_INFINITY })

/**
 * Resolves in a turn of the event loop of its own, so that large pieces of work alternate with other work. Tenants take
 * turns, so that the work of one delays another tenant by one piece, however many of them wait.
 */
export async function ownLoopTurn(tenantId: string): Promise<void> {
  const leave = await turns.enter(tenantId)!
  await nextTurn()
  leave()
}

/**
 * Resolves once the event loop has read the data that had arrived before. One immediate is not enough, because it may run
 * before the next poll.
 */
export function afterNextPoll(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}

/**
 * Ends an exchange when its time is over. After a standstill of the process, timers run before the event loop reads what
 * arrived meanwhile, so that is read first.
 * @param hasBegun if false then, no outcome can have arrived: the exchange ends at once, so that nothing more is sent
 * @returns clears the deadline
 */
export function startDeadline(ms: number, end: () => void, hasBegun: () => boolean = () => true): () => void {
  let isCleared = false
  const timer = setTimeout(async () => {
    if (hasBegun()) await afterNextPoll()
    if (!isCleared) end()
  }, ms)
  return () => {
    isCleared = true
    clearTimeout(timer)
  }
}

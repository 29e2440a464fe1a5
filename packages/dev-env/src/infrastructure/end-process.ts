import { setTimeout as delay } from 'node:timers/promises'
import { identityOf } from './process-identity.ts'

/** Asks a process that is not our child to end, waits, and kills it after `graceMs`. */
export async function endProcess(pid: number, signal: NodeJS.Signals = 'SIGTERM', graceMs = 10_000): Promise<void> {
  const identity = identityOf(pid)
  if (identity === undefined) return
  const still = () => identityOf(pid) === identity
  send(pid, signal)
  const started = performance.now()
  while (still() && performance.now() - started < graceMs) await delay(25)
  if (still()) send(pid, 'SIGKILL')
  while (still() && performance.now() - started < graceMs + 5000) await delay(25)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in the meantime.
  }
}

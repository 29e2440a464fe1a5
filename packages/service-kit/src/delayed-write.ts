import type { Kit } from './kit.ts'
import { withoutLogFields } from './telemetry/log-fields.ts'

interface DelayedWrite {
  /** Of what is written, for the log of the stop. */
  name: string
  /** From the first change to the write, in milliseconds. */
  delayMs: number
  /** Writes what was collected. It must not throw. */
  write(): Promise<void>
}

/**
 * Writes once for all that changes within a time, and a last time when the process stops. Nothing runs while nothing changes; a
 * process that dies loses what it has collected.
 * @returns says that something changed
 */
export function createDelayedWrite(
  { lifecycle }: Pick<Kit, 'lifecycle'>,
  { name, delayMs, write }: DelayedWrite,
): () => void {
  let timer: NodeJS.Timeout | undefined
  lifecycle.onStop(name, () => {
    clearTimeout(timer)
    return write()
  })
  return () => {
    timer ??= withoutLogFields(() =>
      setTimeout(() => {
        timer = undefined
        void write()
      }, delayMs).unref(),
    )
  }
}

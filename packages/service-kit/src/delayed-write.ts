import type { Kit } from './kit.ts'
import { withoutLogFields } from './telemetry/log-fields.ts'

interface DelayedWrite {
  /** Name of the data, for the log of the stop. */
  name: string
  /** Time from the first change to the write, in milliseconds. */
  delayMs: number
  /** Writes the collected changes. It must not throw. */
  write(): Promise<void>
}

/**
 * Collects changes for a time and writes them at once, and a last time when the process stops. Nothing runs while nothing
 * changes. A process that dies loses the collected changes.
 * @returns a function that reports a change
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

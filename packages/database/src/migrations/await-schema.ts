import { setTimeout as delay } from 'node:timers/promises'
import type { Probe } from '../probe.ts'
import type { StartKit } from '../temporary-error.ts'

const pollMs = 1000
/** Waiting is logged at once, and then every 30 polls. */
const saidEveryPolls = 30

/**
 * Waits until the schema has every migration of this release and its keys, without a time limit: a command applies them in
 * another process, and until then this one must neither serve nor consume.
 * @throws Error when the process is stopped meanwhile
 */
export async function awaitSchema({ log, lifecycle }: StartKit, probe: Probe, schema: string): Promise<void> {
  for (let polls = 0; ; polls++) {
    try {
      await probe.check()
      if (polls > 0) log.info({ schema }, 'the schema has what this release needs')
      return
    } catch (error) {
      const reason = (error as Error).message
      if (lifecycle.stopping) throw new Error('stopped while waiting for a command', { cause: error })
      if (polls % saidEveryPolls === 0) log.warn({ schema, reason }, 'waiting for a command of this release')
    }
    await delay(pollMs)
  }
}

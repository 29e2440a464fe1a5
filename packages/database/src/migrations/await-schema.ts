import { setTimeout as delay } from 'node:timers/promises'
import type { Probe } from '../probe.ts'
import type { StartKit } from '../temporary-error.ts'

const pollMs = 1000
/** Waiting is logged at once, and then every 30 polls. */
const loggedEveryPolls = 30

/**
 * Waits without a time limit until the schema has the keys and every migration of this release. Commands apply them in
 * another process; until then this process must neither serve nor consume.
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
      if (polls % loggedEveryPolls === 0) log.warn({ schema, reason }, 'waiting for a command of this release')
    }
    await delay(pollMs)
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Probe } from '../probe.ts'
import type { StartKit } from '../temporary-error.ts'

const pollMs = 1000
/** Waiting is logged at once, and then every 30 polls. */
const saidEveryPolls = 30

/**
 * Waits until the schema has every migration of this release, without a time limit: another process applies them, and
 * until then this one must neither serve nor consume.
 * @throws Error when the process is stopped meanwhile
 */
export async function awaitMigrations({ log, lifecycle }: StartKit, probe: Probe, schema: string): Promise<void> {
  for (let polls = 0; ; polls++) {
    try {
      await probe.check()
      if (polls > 0) log.info({ schema }, 'the schema has every migration of this release')
      return
    } catch (error) {
      const reason = (error as Error).message
      if (lifecycle.stopping) throw new Error('stopped while waiting for migrations', { cause: error })
      if (polls % saidEveryPolls === 0)
        log.warn({ schema, reason }, 'waiting for the command `migrate` of this release')
    }
    await delay(pollMs)
  }
}

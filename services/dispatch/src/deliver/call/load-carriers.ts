import { setTimeout as delay } from 'node:timers/promises'
import type { SendingCarriers } from '@notify/carriers/sending'
import type { Queries } from '@notify/database'
import type { Kit } from '@notify/service-kit'
import { listKinds } from '../../catalogue/providers/kind-store.ts'

/** After the process is ready, and before the garbage of its start is collected. */
const afterMs = 300

/** Loads the clients of carriers that have providers in the background, so that the first message does not wait. */
export function loadCarriers({ log }: Pick<Kit, 'log'>, db: Queries, carriers: SendingCarriers): void {
  const load = async () => {
    await delay(afterMs, undefined, { ref: false })
    for (const kind of await listKinds(db)) await carriers[kind]?.load?.()
  }
  load().catch((error) => log.warn({ err: error }, 'carriers could not be loaded ahead; the first message loads them'))
}

import type { Bus } from '@notify/messaging'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { findReadyQueues } from './queues/queue-store.ts'
import { onSenderWake } from './queues/wake-senders.ts'
import type { LaneRunner } from './run-lane.ts'

/** Interval of the search for due queues. A message whose wake was lost waits at most this long. */
const everyMs = 3000

/** Wakes the lanes of this process for each committed message, and regularly because wakes may be lost. */
export function wakeLanes(kit: Kit, { db }: Pick<Context, 'db'>, bus: Bus, runners: readonly LaneRunner[]): void {
  for (const { lane, wake } of runners) onSenderWake(kit, bus, lane, wake)
  startPeriodic(kit, {
    name: 'ready queues',
    everyMs,
    async run() {
      const lanes = runners.map(({ lane }) => lane)
      const ready = await findReadyQueues(db, lanes)
      for (const { lane, wake } of runners) {
        wake(ready.filter((one) => one.lane === lane.lane && one.channel === lane.channel))
      }
    },
  })
}

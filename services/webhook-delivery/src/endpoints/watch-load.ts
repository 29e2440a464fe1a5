import { type Kit, startPeriodic } from '@notify/service-kit'

const everyMs = 50
/** While nobody asks. */
const restMs = 60_000
/** The share of its time from which the event loop counts as full. */
const full = 0.9
/** The increase after each interval that was not full. */
const step = 8

/**
 * Watches the event loop while it is asked. While it is full, further requests in flight only delay those of other tenants.
 * @param count most requests beside the first one of each endpoint
 * @returns how many of them there may be now
 */
export function watchLoad(kit: Pick<Kit, 'log' | 'lifecycle'>, count: number): () => number {
  let most = count
  let isAsked = false
  let isResting = true
  let last = performance.eventLoopUtilization()
  const watch = startPeriodic(kit, {
    name: 'load',
    everyMs: restMs,
    atLeastMs: everyMs,
    async run() {
      const present = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(present, last)
      last = present
      most = utilization > full ? Math.floor(most / 2) : Math.min(count, most + step)
      isResting = !isAsked && most === count
      isAsked = false
      return isResting ? restMs : everyMs
    },
  })
  return () => {
    isAsked = true
    if (isResting) watch.stir()
    isResting = false
    return most
  }
}

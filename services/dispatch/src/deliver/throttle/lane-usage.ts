/** How much of a lane's rate is used. */
export interface LaneUsage {
  add(count: number): void
  /** The share of the rate that was used in the last whole period, 0 to 1. */
  share(): number
}

const periodMs = 10_000

/** Counts begun messages against the rate of a lane. */
export function createLaneUsage(perSecond: number, now: () => number = () => performance.now()): LaneUsage {
  let begun = 0
  let sinceMs = now()
  let latest = 0
  const close = () => {
    const elapsedMs = now() - sinceMs
    if (elapsedMs < periodMs) return
    latest = Math.min(1, begun / ((perSecond * elapsedMs) / 1000))
    begun = 0
    sinceMs = now()
  }
  return {
    add(count) {
      close()
      begun += count
    },
    share() {
      close()
      return latest
    },
  }
}

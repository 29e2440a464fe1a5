import { type Digest, type Frequency, Weekday } from '@notify/contracts'
import { nextClockTime } from '@notify/locales'

/** The time of a window that a person chose, where that of the event has none. */
const usualTime = '09:00'

/**
 * A digest as often as a person wants it.
 * @returns undefined for each message alone
 */
export function asOftenAs(digest: Digest, frequency: Frequency | undefined): Digest | undefined {
  if (frequency === undefined) return digest
  if (frequency === 'instant') return undefined
  const { key, show, window } = digest
  const { daily, weekly } = window
  const windows = {
    hourly: { seconds: 3600 },
    daily: { daily: daily ?? weekly?.at ?? usualTime },
    weekly: { weekly: weekly ?? { day: 'monday' as const, at: daily ?? usualTime } },
  }
  return { key, show, window: windows[frequency], sliding: false, first: 'wait' }
}

/** When a digest that begins now closes. */
interface Closing {
  closesAt: Date
  /** The same with all items that may still come; later than `closesAt` for a sliding window only. */
  latestAt: Date
}

/** @param zone whose clocks show the times of daily and weekly windows */
export function closingOf(
  { window, sliding, max_wait }: Pick<Digest, 'window' | 'sliding' | 'max_wait'>,
  nowMs: number,
  zone: string,
): Closing {
  const { seconds, daily, weekly } = window
  if (seconds !== undefined) {
    const latestMs = (sliding && max_wait) || seconds
    return { closesAt: new Date(nowMs + seconds * 1000), latestAt: new Date(nowMs + latestMs * 1000) }
  }
  const at = weekly
    ? nextClockTime(nowMs, weekly.at, zone, (Weekday.options.indexOf(weekly.day) + 1) % 7)
    : nextClockTime(nowMs, daily!, zone)
  return { closesAt: new Date(at), latestAt: new Date(at) }
}

import { type Digest, Weekday } from '@notify/contracts'
import { nextClockTime } from '@notify/locales'

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

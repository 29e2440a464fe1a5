const dayMs = 86_400_000
const minuteMs = 60_000

/** A time of the day on the clock of a place, `hh:mm`, in minutes since midnight. @example minuteOfDay('07:30') // 450 */
export function minuteOfDay(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))
}

const formats = new Map<string, Intl.DateTimeFormat>()
/** More than the IANA database has, so that only its aliases in other spellings are made again. */
const mostFormats = 1000

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...fields, ...time })
  if (formats.size >= mostFormats) formats.clear()
  formats.set(zone, format)
  return format
}

/** What the clocks of a zone show at a moment, in milliseconds as if it were UTC. */
function clockAt(ms: number, zone: string): number {
  const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
  for (const { type, value } of formatOf(zone).formatToParts(ms)) shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((ms % 1000) + 1000) % 1000)
}

/** How far the clocks of a zone are ahead of UTC at a moment. */
const offsetAt = (ms: number, zone: string): number => clockAt(ms, zone) - ms

/** The moments at which clocks show a time: two where they are set back over it, none where they are set forward over it. */
function momentsOf(clockMs: number, zone: string): number[] {
  const offsets = new Set([offsetAt(clockMs - dayMs, zone), offsetAt(clockMs + dayMs, zone)])
  return [...offsets]
    .map((offset) => clockMs - offset)
    .filter((ms) => clockAt(ms, zone) === clockMs)
    .sort((a, b) => a - b)
}

/** The moment from which clocks show a later time than one that they skip. */
function afterSkipped(clockMs: number, zone: string): number {
  const after = offsetAt(clockMs + dayMs, zone)
  let [low, high] = [clockMs - after, clockMs - offsetAt(clockMs - dayMs, zone)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle, zone) === after) high = middle
    else low = middle
  }
  return high
}

/**
 * The moment at which the clocks of a zone show a time. One that they show twice is the first of both; one that they skip is
 * as much later as they are set forward, so that 02:30 becomes 03:30.
 * @param local date and time without a zone, `2026-11-21T09:30` or with seconds
 * @returns Unix milliseconds
 */
export function momentOf(local: string, zone: string): number {
  const clockMs = Date.parse(`${local}Z`)
  return momentsOf(clockMs, zone)[0] ?? clockMs - offsetAt(clockMs - dayMs, zone)
}

/**
 * The next moment at which the clocks of a zone show a time of the day. One that they show twice is the first of both; one that
 * they skip is when they are set forward.
 * @param ms Unix milliseconds
 * @param time `hh:mm`
 * @param weekday 0 for Sunday to 6; any day by default
 * @returns Unix milliseconds, after `ms`
 */
export function nextClockTime(ms: number, time: string, zone: string, weekday?: number): number {
  const midnightMs = Math.floor(clockAt(ms, zone) / dayMs) * dayMs
  for (let day = 0; ; day++) {
    const clockMs = midnightMs + day * dayMs + minuteOfDay(time) * minuteMs
    if (weekday !== undefined && new Date(clockMs).getUTCDay() !== weekday) continue
    const moment = momentsOf(clockMs, zone)[0] ?? afterSkipped(clockMs, zone)
    if (moment > ms) return moment
  }
}

/** Hours of each day in which nobody is to be disturbed, `hh:mm`; start and end differ. They may pass midnight. */
export interface QuietHours {
  start: string
  end: string
}

/**
 * When quiet hours that include a moment end: when the clocks of the zone first show a time outside of them.
 * @param ms Unix milliseconds
 * @returns Unix milliseconds; undefined outside of quiet hours
 */
export function quietUntil(ms: number, { start, end }: QuietHours, zone: string): number | undefined {
  const clockMs = clockAt(ms, zone)
  const midnightMs = Math.floor(clockMs / dayMs) * dayMs
  const [now, from, to] = [(clockMs - midnightMs) / minuteMs, minuteOfDay(start), minuteOfDay(end)]
  if (from < to ? now < from || now >= to : now < from && now >= to) return undefined
  const endMs = midnightMs + (now < to ? 0 : dayMs) + to * minuteMs
  const endsMs = momentsOf(endMs, zone).find((moment) => moment > ms) ?? afterSkipped(endMs, zone)
  // Where clocks skip all that is outside of quiet hours, these go on until the next day.
  return quietUntil(endsMs, { start, end }, zone) ?? endsMs
}

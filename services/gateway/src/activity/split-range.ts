const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** A time range, open where a side is absent: from inclusive, to exclusive. */
export interface TimeRange {
  from?: Date | undefined
  to?: Date | undefined
}

/** A range as whole buckets of counters, and the rest that must be counted item by item. */
export interface SplitRange {
  days: TimeRange[]
  hours: TimeRange[]
  rest: TimeRange[]
}

/** Splits a range into UTC days, the hours before and after them, and less than two hours of rest. */
export function splitRange({ from, to }: TimeRange): SplitRange {
  const [start, end] = [from?.getTime() ?? Number.NEGATIVE_INFINITY, to?.getTime() ?? Number.POSITIVE_INFINITY]
  const days = within(start, end, dayMs)
  const hours = days ? outside(start, end, days).flatMap(([a, b]) => whole(a, b, hourMs)) : whole(start, end, hourMs)
  const covered = [...(days ? [days] : []), ...hours].sort(([a], [b]) => a - b)
  const rest = covered.length === 0 ? [[start, end] as Span] : outside(start, end, [covered[0]![0], covered.at(-1)![1]])
  return { days: days ? [rangeOf(days)] : [], hours: hours.map(rangeOf), rest: rest.map(rangeOf) }
}

type Span = readonly [startMs: number, endMs: number]

/** The largest span of whole units within a span. */
function within(startMs: number, endMs: number, unitMs: number): Span | undefined {
  const [start, end] = [Math.ceil(startMs / unitMs) * unitMs, Math.floor(endMs / unitMs) * unitMs]
  return start < end ? [start, end] : undefined
}

function whole(startMs: number, endMs: number, unitMs: number): Span[] {
  const found = within(startMs, endMs, unitMs)
  return found ? [found] : []
}

/** The parts of a span before and after an inner one. */
function outside(startMs: number, endMs: number, [innerStart, innerEnd]: Span): Span[] {
  const spans: Span[] = [
    [startMs, innerStart],
    [innerEnd, endMs],
  ]
  return spans.filter(([start, end]) => start < end)
}

function rangeOf([start, end]: Span): TimeRange {
  return {
    ...(Number.isFinite(start) ? { from: new Date(start) } : {}),
    ...(Number.isFinite(end) ? { to: new Date(end) } : {}),
  }
}

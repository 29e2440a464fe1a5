const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** A time as "5 minutes ago" in a language; older than a week as a date. */
export function timeAgo(isoTime: string, nowMs: number, locale?: string): string {
  const time = new Date(isoTime)
  const seconds = Math.max(0, (nowMs - time.getTime()) / 1000)
  if (seconds >= 7 * 86_400) return time.toLocaleDateString(locale, { dateStyle: 'medium' })
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? ['second', Number.POSITIVE_INFINITY]
  // "yesterday" would be wrong of 47 hours ago.
  const numeric = unit === 'day' ? 'always' : 'auto'
  return new Intl.RelativeTimeFormat(locale, { numeric }).format(-Math.floor(seconds / size), unit)
}

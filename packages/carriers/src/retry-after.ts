const longestMs = 3_600_000

/** Parses Retry-After, seconds or a date (RFC 9110, 10.2.3), to milliseconds, at most an hour. `null` if invalid. */
export function readRetryAfter(text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestMs)
}

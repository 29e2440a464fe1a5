const longestMs = 3_600_000

/** Retry-After as seconds or as a date (RFC 9110 10.2.3), in milliseconds; at most an hour. `null` when it is neither. */
export function readRetryAfter(text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestMs)
}

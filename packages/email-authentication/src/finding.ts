/** The result of checking one record: `right`, `absent`, `wrong` (present but incorrect), or `unknown` (DNS failed). */
export interface Finding {
  verdict: 'right' | 'absent' | 'wrong' | 'unknown'
  /** The records found, one per line. */
  found?: string
  /** How to fix it. */
  error?: string
}

const mostRecords = 5
const longestRecord = 500

/** The first few records, truncated and without control characters. */
export function foundIn(records: readonly string[]): string {
  const shown = records.slice(0, mostRecords).map(readable)
  const more = records.length - shown.length
  return [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
}

/** Replaces bytes that are not storable UTF-8 by question marks. */
export function readable(record: string): string {
  const text = record.toWellFormed().replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]/g, '?')
  return text.length > longestRecord ? `${text.slice(0, longestRecord).toWellFormed()}…` : text
}

/** DNS failed: the record keeps its state. */
export function unanswered(name: string, reason: string): Finding {
  return {
    verdict: 'unknown',
    error: `${name} could not be looked up now: ${reason}. The last known state is kept, and it is looked up again soon.`,
  }
}

/**
 * What a check saw of one record: `right`; `absent`; `wrong`, there but not as it must be; or `unknown`, because DNS gave no
 * answer that counts.
 */
export interface Finding {
  verdict: 'right' | 'absent' | 'wrong' | 'unknown'
  /** The records that were there, one on each line. */
  found?: string
  /** What to do about it. */
  error?: string
}

const mostRecords = 5
const longestRecord = 500

/** The first few records, each cut to a length that can be read, without control characters. */
export function foundIn(records: readonly string[]): string {
  const shown = records.slice(0, mostRecords).map(readable)
  const more = records.length - shown.length
  return [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
}

/** DNS carries bytes: what is no character, or none that may be stored and shown, becomes a question mark. */
export function readable(record: string): string {
  const text = record.toWellFormed().replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]/g, '?')
  return text.length > longestRecord ? `${text.slice(0, longestRecord).toWellFormed()}…` : text
}

/** DNS did not answer: the record keeps the state that it had. */
export function unanswered(name: string, reason: string): Finding {
  return {
    verdict: 'unknown',
    error: `${name} could not be looked up now: ${reason}. The last known state is kept, and it is looked up again soon.`,
  }
}

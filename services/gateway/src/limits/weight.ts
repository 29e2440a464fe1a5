/** Bytes of a body that one request of a limit stands for. */
const bytesPerRequest = 32 * 1024

/**
 * As how many requests one counts against the limits: reading a large body takes the time of many small ones.
 * @param bodyBytes length of the body
 */
export function weightOf(bodyBytes: number): number {
  return Math.max(1, Math.ceil(bodyBytes / bytesPerRequest) || 1)
}

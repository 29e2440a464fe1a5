/** Bytes of a body that count as one request. */
const bytesPerRequest = 32 * 1024

/**
 * The number of requests that a body counts as: parsing a large one takes as long as many small ones.
 * @param bodyBytes length of the body
 */
export function weightOf(bodyBytes: number): number {
  return Math.max(1, Math.ceil(bodyBytes / bytesPerRequest) || 1)
}

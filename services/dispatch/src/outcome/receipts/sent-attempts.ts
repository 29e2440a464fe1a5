/** Recent attempts that this worker recorded as sent, to skip their `sent` receipts. */
export interface SentAttempts {
  add(attemptId: string): void
  has(attemptId: string): boolean
}

/** @param most how many are kept; receipts of older ones are compared with the table again */
export function createSentAttempts(most = 20_000): SentAttempts {
  const ids = new Set<string>()
  return {
    add(attemptId) {
      ids.add(attemptId)
      if (ids.size <= most) return
      const [oldest] = ids
      ids.delete(oldest!)
    },
    has: (attemptId) => ids.has(attemptId),
  }
}

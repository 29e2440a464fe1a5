/** The attempts that this worker has written down as sent, for as long as the carrier's own word of it may take. */
export interface SentAttempts {
  add(attemptId: string): void
  has(attemptId: string): boolean
}

/** @param most how many are remembered; the oldest are forgotten first, and looked up in the table again */
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

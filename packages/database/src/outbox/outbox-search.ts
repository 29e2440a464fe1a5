/** Lower than each id. */
const firstId = '00000000-0000-0000-0000-000000000000'
/** Interval of searches from the first message. They find what was committed late, and what another process could not publish. */
const wholeEveryMs = 3000

/** Decides where claims of a relay begin to look for unpublished messages. */
export interface OutboxSearch {
  /** The id for the next claim; null: only messages of the last seconds may be unpublished. */
  begin(): string | null
  /** The claim found these ids, and all were published. Without this call the next claim begins at the first message. */
  end(ids: readonly string[]): void
  /** The next claim begins at the first message. */
  restart(): void
}

/** @param limit of a claim; one that finds fewer leaves none behind */
export function createOutboxSearch(limit: number): OutboxSearch {
  let since: string | null = firstId
  let wholeAtMs = performance.now()
  return {
    begin() {
      const nowMs = performance.now()
      if (nowMs - wholeAtMs >= wholeEveryMs) since = firstId
      if (since === firstId) wholeAtMs = nowMs
      const begun = since
      since = firstId
      return begun
    },
    end(ids) {
      since = ids.length >= limit ? ids.toSorted()[0]! : null
    },
    restart() {
      wholeAtMs = Number.NEGATIVE_INFINITY
    },
  }
}

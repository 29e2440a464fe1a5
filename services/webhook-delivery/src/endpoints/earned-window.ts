/** Endpoints whose windows a process remembers; a forgotten one starts with the smallest window. */
const mostKnown = 10_000

/**
 * The requests that an endpoint may have in flight. It begins with one and earns more as TCP does (RFC 5681): one for each
 * success, more slowly from half of what it had at its last failure. Each failure halves it.
 */
export class EarnedWindow {
  #size = 1
  #slowFrom: number
  readonly #most: number

  constructor(most: number) {
    this.#most = most
    this.#slowFrom = most
  }

  get size(): number {
    return Math.floor(this.#size)
  }

  succeeded(): void {
    this.#size = Math.min(this.#most, this.#size + (this.#size < this.#slowFrom ? 1 : 1 / this.#size))
  }

  failed(): void {
    this.#slowFrom = Math.max(1, this.#size / 2)
    this.#size = this.#slowFrom
  }
}

/** The windows of the endpoints that a process has delivered to, those of the latest `mostKnown`. */
export function createWindows(most: number): (endpointId: string) => EarnedWindow {
  const known = new Map<string, EarnedWindow>()
  return (endpointId) => {
    const window = known.get(endpointId) ?? new EarnedWindow(most)
    // A Map keeps the order of insertion: the first one was used longest ago.
    known.delete(endpointId)
    known.set(endpointId, window)
    if (known.size > mostKnown) known.delete(known.keys().next().value!)
    return window
  }
}

/** Shorter than the service stores keys, and longer than an operator retries. */
const keptMs = 10 * 60_000

/**
 * The Idempotency-Keys of unanswered writes. Sending one again with the same content sends its key again, so that it cannot take
 * effect twice.
 */
export class UnansweredWrites {
  readonly #keys = new Map<string, { key: string; untilMs: number }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** @param write method, address and content, or a digest of them */
  keyOf(write: string): string {
    for (const [known, { untilMs }] of this.#keys) if (untilMs <= this.#now()) this.#keys.delete(known)
    const known = this.#keys.get(write)
    if (known) return known.key
    const key = crypto.randomUUID()
    this.#keys.set(write, { key, untilMs: this.#now() + keptMs })
    return key
  }

  /** Called for each answer. After an error of the service it is unknown whether the write took effect. */
  answered(write: string, status: number): void {
    if (status < 500) this.#keys.delete(write)
  }
}

/** A digest, so that no content of a form stays in memory. */
export async function digestOf(request: Request): Promise<string> {
  const text = `${request.method} ${request.url}\n${await request.clone().text()}`
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

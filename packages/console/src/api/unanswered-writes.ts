/** Shorter than the service stores keys, and longer than an operator retries. */
const keptMs = 10 * 60_000
const header = 'idempotency-key'

interface Kept {
  key: string
  collection: string
  untilMs: number
  underWay: number
}

/** Headers of a POST that only reads, checks or counts, or sets a state: it never gets the answer of an earlier one. */
export const withNewKey = (): Record<string, string> => ({ [header]: crypto.randomUUID() })

/** Headers of a POST that takes effect once for each state that the operator saw, however often it is sent. */
export const withKeyOf = (state: string): Record<string, string> => ({ [header]: state })

/**
 * The Idempotency-Keys of POSTs without a success. Sending one again with the same content sends its key again, so that it cannot take
 * effect twice. After another write of the same collection the same content is a new intention: what was made may be deleted since.
 * A POST that comes with its own key does not count as such a write.
 */
export class UnansweredWrites {
  readonly #kept = new Map<string, Kept>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Sends a write; a POST without a key gets one, which is kept until a success: refusals are not stored with it. */
  async send(request: Request, send: (keyed: Request) => Promise<Response>): Promise<Response> {
    if (request.headers.has(header)) return send(request)
    const collection = collectionOf(request.url)
    if (request.method === 'POST') return this.#sendKept(request, collection, send)
    const response = await send(request)
    if (response.ok) this.forget(collection)
    return response
  }

  /** Makes the content of each write of a collection a new intention, unless the write is under way. */
  forget(collection: string): void {
    for (const [write, kept] of this.#kept)
      if (kept.collection === collection && kept.underWay === 0) this.#kept.delete(write)
  }

  async #sendKept(request: Request, collection: string, send: (keyed: Request) => Promise<Response>) {
    const write = await digestOf(request)
    const kept = this.#keep(write, collection)
    request.headers.set(header, kept.key)
    kept.underWay += 1
    try {
      const response = await send(request)
      // An equal write that was sent with it may have succeeded before.
      if (response.ok && this.#kept.get(write) === kept) {
        this.#kept.delete(write)
        this.forget(collection)
      }
      return response
    } finally {
      kept.underWay -= 1
    }
  }

  #keep(write: string, collection: string): Kept {
    const nowMs = this.#now()
    for (const [known, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(known)
    const kept = this.#kept.get(write) ?? { key: crypto.randomUUID(), collection, untilMs: 0, underWay: 0 }
    kept.untilMs = nowMs + keptMs
    this.#kept.set(write, kept)
    return kept
  }
}

/** @returns `providers` for `/api/v1/providers/prov_1/rotate-secret` */
const collectionOf = (url: string): string => new URL(url).pathname.split('/')[3] ?? ''

/** A digest, so that no content of a form stays in memory. */
async function digestOf(request: Request): Promise<string> {
  const text = `${request.method} ${request.url}\n${await request.clone().text()}`
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

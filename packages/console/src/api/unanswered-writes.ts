/** Shorter than the service stores keys, and longer than an operator retries. */
const keptMs = 10 * 60_000
const header = 'idempotency-key'

interface Kept {
  key: string
  collection: string
  untilMs: number
}

/** Headers of a write that is safe to repeat, because it sets a state or only counts: it never gets the answer of an earlier one. */
export const withNewKey = (): Record<string, string> => ({ [header]: crypto.randomUUID() })

/**
 * The Idempotency-Keys of POSTs without a success. Sending one again with the same content sends its key again, so that it cannot take
 * effect twice. After another write of the same collection the same content is a new intention: what was made may be deleted since.
 */
export class UnansweredWrites {
  readonly #kept = new Map<string, Kept>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Sends a write; a POST without a key gets one, which is kept until a success: refusals are not stored with it. */
  async send(request: Request, send: (keyed: Request) => Promise<Response>): Promise<Response> {
    const collection = collectionOf(request.url)
    const isKept = request.method === 'POST' && !request.headers.has(header)
    const write = isKept ? await digestOf(request) : undefined
    const key = this.#keyOf(write)
    if (write !== undefined) request.headers.set(header, key)
    let isDone = false
    try {
      const response = await send(request)
      isDone = response.ok
      return response
    } finally {
      if (isDone) this.#forget(collection)
      else if (write !== undefined) this.#kept.set(write, { key, collection, untilMs: this.#now() + keptMs })
    }
  }

  #keyOf(write: string | undefined): string {
    for (const [known, { untilMs }] of this.#kept) if (untilMs <= this.#now()) this.#kept.delete(known)
    return (write !== undefined && this.#kept.get(write)?.key) || crypto.randomUUID()
  }

  #forget(collection: string): void {
    for (const [write, kept] of this.#kept) if (kept.collection === collection) this.#kept.delete(write)
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

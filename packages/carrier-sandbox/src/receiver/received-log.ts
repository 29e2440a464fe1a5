import { Webhook } from 'standardwebhooks'
import { Fifo } from '../fifo.ts'

/** A webhook as it came, and whether its signature fits a secret that the sandbox knows. */
export interface Received {
  /** Ascending; distinguishes two webhooks of the same message. */
  received_id: number
  path: string
  headers: Record<string, string>
  /** The raw text. */
  body: string
  verified: boolean
  received_at: string
}

/** What the receiver got. Signatures are verified by the library of Standard Webhooks, which is none of our own code. */
export class ReceivedLog {
  readonly #capacity: number
  readonly #secrets: Set<string>
  #items = new Fifo<Received>()
  #count = 0

  constructor(capacity: number, secrets: readonly string[]) {
    this.#capacity = capacity
    this.#secrets = new Set(secrets)
  }

  addSecret(secret: string): void {
    this.#secrets.add(secret)
  }

  add(path: string, headers: Record<string, string>, body: string): void {
    const verified = [...this.#secrets].some((secret) => verifies(secret, headers, body))
    this.#count += 1
    this.#items.push({ received_id: this.#count, path, headers, body, verified, received_at: new Date().toISOString() })
    if (this.#items.length > this.#capacity) this.#items.shift()
  }

  /** The newest first. */
  newest(path: string | undefined, limit: number): Received[] {
    const found: Received[] = []
    for (const item of this.#items.newestFirst()) {
      if (path === undefined || item.path.startsWith(path)) found.push(item)
      if (found.length === limit) break
    }
    return found
  }

  clear(): void {
    this.#items = new Fifo()
  }
}

function verifies(secret: string, headers: Record<string, string>, body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

import type { BodyShare } from './body-budget.ts'

const leastBytes = 4 * 1024

/**
 * Bytes that come in pieces, copied together as they come: a body in half a million pieces of one byte would otherwise take
 * two hundred times its size.
 */
export class GrowingBuffer {
  size = 0
  #buffer: Buffer = Buffer.alloc(0)
  readonly #expectedBytes: number
  readonly #share: BodyShare | undefined

  /** @param expectedBytes more than that never comes */
  constructor(expectedBytes: number, share: BodyShare | undefined) {
    this.#expectedBytes = expectedBytes
    this.#share = share
  }

  /** Adds a piece; false when the share does not allow it. */
  add(chunk: Buffer): boolean {
    // What comes whole is kept as it came.
    if (this.size === 0 && chunk.length === this.#expectedBytes) this.#buffer = chunk
    else if (!this.#makeRoom(this.size + chunk.length)) return false
    else chunk.copy(this.#buffer, this.size)
    this.size += chunk.length
    return true
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.size)
  }

  #makeRoom(bytes: number): boolean {
    const { length } = this.#buffer
    if (bytes <= length) return true
    const capacity = Math.max(bytes, Math.min(this.#expectedBytes, Math.max(2 * length, leastBytes)))
    if (this.#share && !this.#share.take(capacity - length)) return false
    const larger = Buffer.allocUnsafeSlow(capacity)
    this.#buffer.copy(larger, 0, 0, this.size)
    this.#buffer = larger
    return true
  }
}

import type { BodyShare } from './body-budget.ts'

const leastBytes = 4 * 1024

/** Collects chunks in one growing buffer: half a million one-byte chunks would otherwise take 200 times their size. */
export class GrowingBuffer {
  size = 0
  #buffer: Buffer = Buffer.alloc(0)
  readonly #expectedBytes: number
  readonly #share: BodyShare | undefined

  /** @param expectedBytes upper bound of the size */
  constructor(expectedBytes: number, share: BodyShare | undefined) {
    this.#expectedBytes = expectedBytes
    this.#share = share
  }

  /** Adds a chunk; returns false when the share does not allow it. */
  add(chunk: Buffer): boolean {
    // A body in one chunk is kept without copying.
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

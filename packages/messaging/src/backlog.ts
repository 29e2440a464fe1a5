/** A FIFO queue. One caller may wait for an item, and one for room. */
export class Backlog<T> {
  readonly #most: number
  #items: T[] = []
  #closed = false
  #onItem: (() => void) | undefined
  #onRoom: (() => void) | undefined

  /** @param most items from which there is no room; a caller that adds many at once may exceed it */
  constructor(most: number) {
    this.#most = most
  }

  push(item: T): void {
    this.#items.push(item)
    this.#onItem?.()
  }

  /** The next item, once there is one; `undefined` after close. */
  async next(): Promise<T | undefined> {
    while (this.#items.length === 0 && !this.#closed) await new Promise<void>((resolve) => (this.#onItem = resolve))
    const item = this.#items.shift()
    if (this.#items.length < this.#most) this.#onRoom?.()
    return item
  }

  /** Resolves when there is room, or after close. */
  async room(): Promise<void> {
    while (this.#items.length >= this.#most && !this.#closed)
      await new Promise<void>((resolve) => (this.#onRoom = resolve))
  }

  /** Wakes all waiters. @returns the items left in the queue */
  close(): T[] {
    const left = this.#items
    this.#items = []
    this.#closed = true
    this.#onItem?.()
    this.#onRoom?.()
    return left
  }
}

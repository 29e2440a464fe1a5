/** What was taken and not yet begun, in order. One caller may wait for an item, and one for room. */
export class Backlog<T> {
  readonly #most: number
  #items: T[] = []
  #closed = false
  #onItem: (() => void) | undefined
  #onRoom: (() => void) | undefined

  /** @param most items with which there is no room for more; whoever takes many at once may exceed it by them */
  constructor(most: number) {
    this.#most = most
  }

  push(item: T): void {
    this.#items.push(item)
    this.#onItem?.()
  }

  /** The next item, as soon as there is one; `undefined` once it is closed. */
  async next(): Promise<T | undefined> {
    while (this.#items.length === 0 && !this.#closed) await new Promise<void>((resolve) => (this.#onItem = resolve))
    const item = this.#items.shift()
    if (this.#items.length < this.#most) this.#onRoom?.()
    return item
  }

  /** Resolves when more may be taken, or nothing more will be. */
  async room(): Promise<void> {
    while (this.#items.length >= this.#most && !this.#closed)
      await new Promise<void>((resolve) => (this.#onRoom = resolve))
  }

  /** Ends all waiting. @returns what nobody has begun */
  close(): T[] {
    const left = this.#items
    this.#items = []
    this.#closed = true
    this.#onItem?.()
    this.#onRoom?.()
    return left
  }
}

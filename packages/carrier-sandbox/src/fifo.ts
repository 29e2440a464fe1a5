/** A first-in, first-out queue in constant time: the array's head moves, and is cut off when it is half of the array. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #head = 0

  static of<T>(item: T): Fifo<T> {
    const fifo = new Fifo<T>()
    fifo.push(item)
    return fifo
  }

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  *newestFirst(): Generator<T> {
    for (let i = this.#items.length - 1; i >= this.#head; i--) yield this.#items[i] as T
  }
}

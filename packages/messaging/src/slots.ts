/** What waits for a slot. */
interface Waiting {
  start: () => void
  size: number
}

/**
 * Limits concurrency. Tasks wait in a queue for each owner, and owners take turns, so that many tasks of one owner do not
 * delay the others.
 */
export class Slots {
  #free: number
  #waitingSize = 0
  readonly #mostWaiting: number
  readonly #queues = new Map<string, Waiting[]>()
  #onRoom: (() => void) | undefined

  /** @param mostWaiting the total size of waiting tasks from which {@link room} waits */
  constructor(count: number, mostWaiting: number) {
    this.#free = count
    this.#mostWaiting = mostWaiting
  }

  /** Runs the task in its turn. While it waits, `size` counts against `mostWaiting`. */
  async run<T>(owner: string, size: number, task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((start) => this.#wait(owner, { start, size }))
    try {
      return await task()
    } finally {
      this.#next()
    }
  }

  /** Resolves when less than `mostWaiting` is waiting. Only one caller may wait. */
  async room(): Promise<void> {
    while (this.#waitingSize >= this.#mostWaiting) await new Promise<void>((resolve) => (this.#onRoom = resolve))
  }

  #wait(owner: string, waiting: Waiting): void {
    const queue = this.#queues.get(owner)
    if (queue) queue.push(waiting)
    else this.#queues.set(owner, [waiting])
    this.#waitingSize += waiting.size
  }

  /** Gives a free slot to the owner whose turn it is, and moves this owner behind the others. */
  #next(): void {
    const [entry] = this.#queues
    if (!entry) {
      this.#free++
      return
    }
    const [owner, queue] = entry
    const { start, size } = queue.shift()!
    this.#queues.delete(owner)
    if (queue.length > 0) this.#queues.set(owner, queue)
    this.#waitingSize -= size
    if (this.#waitingSize < this.#mostWaiting) this.#onRoom?.()
    start()
  }
}

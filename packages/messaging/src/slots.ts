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
  readonly #count: number
  #running = 0
  #runningSize = 0
  #waitingSize = 0
  readonly #mostWaiting: number
  readonly #mostRunning: number
  readonly #queues = new Map<string, Waiting[]>()
  #onRoom: (() => void) | undefined

  /**
   * @param count most tasks that run at once
   * @param mostWaiting the total size of waiting tasks from which {@link room} waits
   * @param mostRunning most total size of the tasks that run at once; a larger one runs alone
   */
  constructor(count: number, mostWaiting: number, mostRunning: number) {
    this.#count = count
    this.#mostWaiting = mostWaiting
    this.#mostRunning = mostRunning
  }

  /** Runs the task in its turn. While it waits, `size` counts against `mostWaiting`, then against `mostRunning`. */
  async run<T>(owner: string, size: number, task: () => Promise<T>): Promise<T> {
    if (this.#queues.size === 0 && this.#fits(size)) this.#take(size)
    else await new Promise<void>((start) => this.#wait(owner, { start, size }))
    try {
      return await task()
    } finally {
      this.#release(size)
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

  #fits(size: number): boolean {
    if (this.#running === 0) return true
    return this.#running < this.#count && this.#runningSize + size <= this.#mostRunning
  }

  #take(size: number): void {
    this.#running++
    this.#runningSize += size
  }

  /** Frees a slot, and gives free ones to the owners whose turn it is, as far as their tasks fit. */
  #release(size: number): void {
    this.#running--
    this.#runningSize -= size
    for (let [entry] = this.#queues; entry && this.#fits(entry[1][0]!.size); [entry] = this.#queues)
      this.#next(...entry)
  }

  /** Starts a task of an owner, and moves this owner behind the others. */
  #next(owner: string, queue: Waiting[]): void {
    const { start, size } = queue.shift()!
    this.#queues.delete(owner)
    if (queue.length > 0) this.#queues.set(owner, queue)
    this.#waitingSize -= size
    this.#take(size)
    if (this.#waitingSize < this.#mostWaiting) this.#onRoom?.()
    start()
  }
}

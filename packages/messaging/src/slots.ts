/** A semaphore: runs up to a number of tasks at once. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []
  #onRoom: (() => void) | undefined

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#release()
    }
  }

  /** Resolves when a task could start at once. One caller may wait. */
  async room(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((resolve) => (this.#onRoom = resolve))
  }

  #release(): void {
    this.#free++
    this.#onRoom?.()
    this.#onRoom = undefined
  }
}

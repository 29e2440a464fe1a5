import { Fifo } from '../fifo.ts'

/** Admits `width` callers at a time; the others wait in order of arrival. */
export class Lane {
  #free: number
  #inside = 0
  readonly #waiting = new Fifo<() => void>()

  constructor(width: number) {
    this.#free = width
  }

  get isEmpty(): boolean {
    return this.#inside === 0
  }

  async enter(): Promise<void> {
    this.#inside++
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  leave(): void {
    this.#inside--
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}

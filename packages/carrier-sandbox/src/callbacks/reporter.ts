import type { Delays } from './delays.ts'

/** Takes messages through their states: one wait and one callback after the other, so their order is kept. */
export class Reporter {
  readonly #delays: Delays
  readonly #delayMs: number
  #underWay = 0

  constructor(delays: Delays, delayMs: number) {
    this.#delays = delays
    this.#delayMs = delayMs
  }

  /** How many messages still have callbacks outstanding. */
  get underWay(): number {
    return this.#underWay
  }

  /** @param tell changes the message and notifies its sender; resolves when the sender answered or the callback was abandoned */
  async report<Step>(steps: readonly Step[], tell: (step: Step) => Promise<void> | void): Promise<void> {
    this.#underWay++
    for (const step of steps) {
      if (!(await this.#delays.wait(this.#delayMs))) break
      await tell(step)
    }
    this.#underWay--
  }
}

/** With more unfinished messages than this, sends are answered 429, so that a receiver that is down cannot exhaust the memory. */
export const mostUnderWay = 200_000

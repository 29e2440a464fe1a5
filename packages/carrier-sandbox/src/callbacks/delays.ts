/** Waits that all end early when the sandbox stops. */
export class Delays {
  readonly #pending = new Map<NodeJS.Timeout, (elapsed: boolean) => void>()
  #cancelled = false

  /** Resolves to true after `delayMs`, or to false as soon as all delays are cancelled. */
  wait(delayMs: number): Promise<boolean> {
    if (this.#cancelled) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(timer)
        resolve(true)
      }, delayMs)
      this.#pending.set(timer, resolve)
    })
  }

  cancelAll(): void {
    this.#cancelled = true
    for (const [timer, resolve] of this.#pending) {
      clearTimeout(timer)
      resolve(false)
    }
    this.#pending.clear()
  }
}

/** A delay that can be ended early. */
export interface Pause {
  /** Waits for the duration, or until `isOver` is true, which is evaluated at the start and at each {@link check}. */
  forMs(ms: number, isOver: () => boolean): Promise<void>
  check(): void
}

/** The maximum of a timer; a longer one would fire at once. */
const longestMs = 2 ** 31 - 1

/** Makes a pause in which one caller waits at a time. */
export function createPause(): Pause {
  let check = () => {}
  return {
    async forMs(ms, isOver) {
      if (ms <= 0 || isOver()) return
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        check = () => {
          if (isOver()) resolve()
        }
        timer = setTimeout(resolve, Math.min(ms, longestMs))
      })
      clearTimeout(timer)
      check = () => {}
    },
    check: () => check(),
  }
}

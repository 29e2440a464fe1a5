/** A wait that something else may end. */
export interface Pause {
  /** Waits for the duration, or until `isOver` at its start or at a {@link check}. */
  forMs(ms: number, isOver: () => boolean): Promise<void>
  check(): void
}

/** The longest time of a timer: beyond it one would fire at once. */
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

/** A wait that can be ended, even just before it begins. */
export function createPause() {
  let isOver = false
  let end = () => {}
  return {
    async wait(ms: number): Promise<void> {
      if (!isOver) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isOver = false
    },
    end() {
      isOver = true
      end()
    },
  }
}

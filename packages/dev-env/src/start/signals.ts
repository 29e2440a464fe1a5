/** A Ctrl-C may arrive twice within moments: from the terminal and from npm. */
const sameSignalMs = 500

interface SignalHandlers {
  /** The first signal: stop in order. */
  onStop: (signal: string) => void
  /** Another one: the person does not want to wait. */
  onKill: () => void
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP; and, when npm started us, for the end of the process in between: somebody may
 * have killed it, and nobody else would stop us.
 */
export function onSignals({ onStop, onKill }: SignalHandlers): void {
  let firstMs: number | undefined
  const handle = (signal: string) => {
    if (firstMs === undefined) {
      firstMs = Date.now()
      onStop(signal)
    } else if (Date.now() - firstMs > sameSignalMs) onKill()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, handle)
  if (!process.env.NOTIFY_TOOLCHAIN) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    handle('the end of npm')
  }, 1000)
  watch.unref()
}

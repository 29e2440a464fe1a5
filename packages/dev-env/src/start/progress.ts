/** Prints plain lines with the seconds since the start: they read well in a terminal and in a log. */
export function progressPrinter(write: (text: string) => void = (text) => void process.stdout.write(text)) {
  const started = performance.now()
  return (text: string) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    write(`[${seconds.padStart(5)} s] ${text}\n`)
  }
}

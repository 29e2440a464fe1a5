import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** From ready on; V8 keeps the garbage of the start for as long as a process is idle. */
const afterMs = 1000

let scheduled = false

/** Collects once what only the start needed and gives the memory back: 10 to 30 MiB, for a pause of some 30 ms. */
export function returnStartMemory(): void {
  // Test environments run several services in a process.
  if (scheduled) return
  scheduled = true
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
    setFlagsFromString('--no-expose-gc')
    collect({ type: 'major', flavor: 'last-resort' })
  }, afterMs).unref()
}

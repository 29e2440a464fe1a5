import { Problem } from '../problem.ts'

/** Deadlines are looked at this often, all together: a timer for each call would cost more than the rest of it. */
const lookEveryMs = 250

interface Waiting {
  untilMs: number
  expire(): void
}

const waiting = new Set<Waiting>()
let timer: NodeJS.Timeout | undefined

/**
 * What becomes of the work, if that is known in time; it goes on in any case.
 * @param ms how long to wait, give or take 250 ms; without it, however long it takes
 * @throws Problem `service_unavailable` when it is not known in time
 */
export function within<T>(ms: number | undefined, work: Promise<T> | T): Promise<T> | T {
  if (ms === undefined || !(work instanceof Promise)) return work
  return new Promise((resolve, reject) => {
    const one = { untilMs: performance.now() + ms, expire: () => reject(tooLate()) }
    waiting.add(one)
    timer ??= setInterval(look, lookEveryMs).unref()
    work.then(
      (value) => {
        waiting.delete(one)
        resolve(value)
      },
      (error) => {
        waiting.delete(one)
        reject(error)
      },
    )
  })
}

function look(): void {
  const nowMs = performance.now()
  for (const one of waiting) {
    if (one.untilMs > nowMs) continue
    waiting.delete(one)
    one.expire()
  }
  if (waiting.size > 0) return
  clearInterval(timer)
  timer = undefined
}

function tooLate(): Problem {
  return new Problem('service_unavailable', 'The service did not answer in time; try again shortly')
}

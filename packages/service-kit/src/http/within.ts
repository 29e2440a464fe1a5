import { Problem } from '../problem.ts'

/** All deadlines are checked at this interval: a timer per call would cost more than the call. */
const lookEveryMs = 250

interface Waiting {
  untilMs: number
  expire(): void
}

const waiting = new Set<Waiting>()
let timer: NodeJS.Timeout | undefined

/**
 * The result of the work, if it is known in time. The work continues in any case.
 * @param ms timeout, accurate to 250 ms; unlimited if absent
 * @throws Problem `service_unavailable` on timeout
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
  return new Problem(
    'service_unavailable',
    'The service did not answer in time. A change may have taken effect: repeat it with the same Idempotency-Key',
    { mayHaveTakenEffect: true },
  )
}

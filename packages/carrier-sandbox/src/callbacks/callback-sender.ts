import { Agent } from 'undici'
import type { Delays } from './delays.ts'
import { Lane } from './lane.ts'

/** A POST to a customer's server. */
export interface Callback {
  url: string
  headers: Record<string, string>
  body: string
}

const firstRetryMs = 100
const longestRetryMs = 2_000
const giveUpAfterMs = 60_000
const answerTimeoutMs = 15_000
const requestsPerHost = 512

/**
 * Posts callbacks over kept-alive connections, a bounded number at a time to each host, and repeats those that get a 5xx
 * or no answer for a minute: a receipt survives a restart of the service under test.
 */
export class CallbackSender {
  readonly #delays: Delays
  readonly #agent = new Agent({
    connections: requestsPerHost,
    connect: { timeout: answerTimeoutMs },
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
  })
  readonly #lanes = new Map<string, Lane>()
  readonly #inFlight = new Set<Promise<unknown>>()
  #stopping = false

  constructor(delays: Delays) {
    this.#delays = delays
  }

  /** Resolves when the callback was answered below 500 or abandoned; never rejects. */
  async send(callback: Callback): Promise<void> {
    const url = new URL(callback.url)
    let giveUpAt = 0
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      const status = await this.#postInLane(url, callback)
      if (status !== undefined && status < 500) return
      giveUpAt ||= performance.now() + giveUpAfterMs
      if (performance.now() + waitMs > giveUpAt) return
      if (!(await this.#delays.wait(waitMs))) return
    }
  }

  /** Sends nothing more; requests under way have `graceMs` to end before they are aborted. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    let timer: NodeJS.Timeout | undefined
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    await Promise.race([Promise.all(this.#inFlight), grace])
    clearTimeout(timer)
    await this.#agent.destroy()
  }

  async #postInLane(url: URL, callback: Callback): Promise<number | undefined> {
    const lane = this.#laneTo(url.origin)
    await lane.enter()
    try {
      if (this.#stopping) return undefined
      const posting = this.#post(url, callback).catch(() => undefined)
      this.#inFlight.add(posting)
      const status = await posting
      this.#inFlight.delete(posting)
      return status
    } finally {
      lane.leave()
      if (lane.isEmpty) this.#lanes.delete(url.origin)
    }
  }

  /** The status of the answer; the body is read to its end, so that the connection can be reused. */
  async #post({ origin, pathname, search }: URL, { headers, body }: Callback): Promise<number> {
    const answer = await this.#agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
    })
    await answer.body.dump()
    return answer.statusCode
  }

  #laneTo(origin: string): Lane {
    const lane = this.#lanes.get(origin) ?? new Lane(requestsPerHost)
    this.#lanes.set(origin, lane)
    return lane
  }
}

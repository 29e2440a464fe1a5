import type { DeliverWebhook } from '../deliveries/deliver-webhook.ts'
import type { Share, TakenDelivery } from '../deliveries/take-deliveries.ts'
import type { EarnedWindow } from './earned-window.ts'
import { createPause } from './pause.ts'

/** How long a session takes new deliveries; then other endpoints have their turn, if there are no slots to spare. */
const sessionMs = 5000
/** How long a session without deliveries keeps its endpoint, so that the next one needs no claim. */
const restMs = 2000
/** Interval at which a session with requests in flight looks for due deliveries. */
const lookEveryMs = 200
/** The number of free slots that triggers a refill: a statement per delivery would cost more than the delivery. */
const refilledAtOnce = 8

export interface SessionOptions {
  window: EarnedWindow
  /** The session's slots beside its first one, which always stays its own. */
  further: FurtherPlaces
  take(room: number): Promise<Share>
  deliver: DeliverWebhook
  /** Whether the session may still take deliveries. */
  mayTake(): boolean
  /** Whether no other endpoint needs its slot: it may keep its endpoint without deliveries, and when its time is over. */
  mayRest(): boolean
}

interface FurtherPlaces {
  /** @returns how many of the wanted slots were free */
  take(wanted: number): number
  release(count: number): void
}

/** What waits for an endpoint when its session begins. */
export interface Beginning {
  first?: TakenDelivery
  /** Whether others are due besides. */
  hasMore: boolean
  /** Whether no other one becomes due by time alone. */
  isAlone: boolean
}

/** Delivers what is due for one endpoint, as many at a time as its window allows, until nothing is. */
export class Session {
  readonly #options: SessionOptions
  readonly #pause = createPause()
  #endsMs = performance.now() + sessionMs
  #inFlight = 0
  /** Rooms for deliveries that are being taken or stored. */
  #promised = 0
  #storing = 0
  #held = 0
  #hasMore: boolean
  #isAlone: boolean
  #failure: unknown

  constructor(options: SessionOptions, { first, hasMore, isAlone }: Beginning) {
    this.#options = options
    this.#hasMore = hasMore
    this.#isAlone = isAlone
    if (first) this.#start(first)
  }

  get isOpen(): boolean {
    return this.#options.mayTake() && performance.now() < this.#endsMs && this.#failure === undefined
  }

  /** Whether nothing becomes due here by time alone. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  /** Deliveries wait that another process stored, or the process stops. */
  look(): void {
    this.#hasMore = true
    this.#pause.end()
  }

  /** Promises room to deliveries that are being stored. The session goes on until {@link bring}. @returns for how many */
  expect(wanted: number): number {
    this.#storing += 1
    // Those that wait are older.
    return this.#promise(this.#hasMore ? 0 : wanted)
  }

  /** Brings deliveries whose attempts are open. @param hasMore whether further ones were stored, or may have been */
  bring(taken: readonly TakenDelivery[], { promised, hasMore }: { promised: number; hasMore: boolean }): void {
    this.#storing -= 1
    this.#promised -= promised
    for (const one of taken) this.#start(one)
    this.#giveBack()
    if (hasMore) this.#hasMore = true
    if (hasMore || this.#inFlight === 0) this.#pause.end()
  }

  /** @throws the error of an attempt that could not be settled */
  async run(): Promise<void> {
    try {
      while (true) {
        this.#goOn()
        const taken = this.isOpen && this.#mustLook ? await this.#take() : 0
        const isIdle = taken === 0 && this.#inFlight === 0 && this.#storing === 0
        if (isIdle && !this.#mayRest) break
        await this.#pause.wait(isIdle ? restMs : lookEveryMs)
        if (isIdle && this.#inFlight === 0 && this.#storing === 0 && !this.#hasMore) break
      }
    } finally {
      this.#promised = 0
      this.#giveBack()
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Prolongs a session whose end would wait for a slow request: meanwhile nobody could deliver to its endpoint. */
  #goOn(): void {
    const { window, mayRest } = this.#options
    if (performance.now() < this.#endsMs || this.#inFlight === 0 || window.size === 1 || !mayRest()) return
    this.#endsMs = performance.now() + sessionMs
    // The word of another process may have been lost.
    this.#hasMore = true
  }

  /** Deliveries that become due by time are found by looking alone. */
  get #mustLook(): boolean {
    return this.#hasMore || !this.#isAlone
  }

  get #mayRest(): boolean {
    return this.isOpen && !this.#mustLook && this.#options.mayRest()
  }

  async #take(): Promise<number> {
    const room = this.#promise(Number.POSITIVE_INFINITY)
    if (room === 0) return 0
    this.#hasMore = false
    const { deliveries, hasMore } = await this.#options.take(room).finally(() => {
      this.#promised -= room
    })
    if (hasMore) this.#hasMore = true
    for (const one of deliveries) this.#start(one)
    this.#giveBack()
    return deliveries.length
  }

  #promise(wanted: number): number {
    const busy = this.#inFlight + this.#promised
    const room = Math.max(0, Math.min(wanted, this.#options.window.size - busy))
    const needed = Math.max(0, busy + room - 1 - this.#held)
    const missing = needed - this.#options.further.take(needed)
    this.#held += needed - missing
    this.#promised += room - missing
    return room - missing
  }

  #giveBack(): void {
    const unused = this.#held - Math.max(0, this.#inFlight + this.#promised - 1)
    this.#held -= unused
    this.#options.further.release(unused)
  }

  #start(taken: TakenDelivery): void {
    const { window, deliver } = this.#options
    this.#inFlight += 1
    deliver(taken)
      .then(({ outcome, charged }) => {
        if (outcome === 'succeeded') window.succeeded()
        else {
          this.#isAlone = false
          if (charged) window.failed()
        }
      })
      .catch((error: unknown) => {
        this.#failure = error
      })
      .finally(() => {
        this.#inFlight -= 1
        this.#giveBack()
        const isRefill = this.#mustLook && window.size - this.#inFlight >= Math.min(refilledAtOnce, window.size / 2)
        if (isRefill || this.#inFlight === 0) this.#pause.end()
      })
  }
}

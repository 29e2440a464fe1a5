import type { Config } from '../config.ts'
import type { DeliverWebhook } from '../deliveries/deliver-webhook.ts'
import type { TakenDelivery } from '../deliveries/take-deliveries.ts'
import type { EarnedWindow } from './earned-window.ts'

/** How long a session takes new deliveries; then other endpoints have their turn. */
const sessionMs = 5000
/** Time to settle an attempt. */
const settleMs = 5000
/** Interval at which a session with requests in flight looks for due deliveries. */
const lookEveryMs = 200
/** The number of free slots that triggers a refill: a statement per delivery would cost more than the delivery. */
const refilledAtOnce = 8

/** Lease of a claimed delivery. */
export const deliveryLeaseMs = ({ WEBHOOK_TIMEOUT }: Pick<Config, 'WEBHOOK_TIMEOUT'>) => WEBHOOK_TIMEOUT + settleMs

interface Session {
  window: EarnedWindow
  /** The session's slots beside its first one, which always stays its own. */
  further: FurtherPlaces
  take(room: number): Promise<TakenDelivery[]>
  deliver: DeliverWebhook
  /** Whether the session may still take deliveries. */
  mayTake(): boolean
}

interface FurtherPlaces {
  /** @returns how many of the wanted slots were free */
  take(wanted: number): number
  release(count: number): void
}

/** Delivers what is due for one endpoint, as many at a time as its window allows, until nothing is. */
export async function runSession({ window, further, take, deliver, mayTake }: Session): Promise<void> {
  const endsMs = performance.now() + sessionMs
  let inFlight = 0
  let asked = 0
  let held = 0
  let failure: unknown
  const pause = createPause()
  const reserve = () => {
    const wanted = Math.max(0, window.size - inFlight)
    const needed = Math.max(0, inFlight + wanted - 1 - held)
    const missing = needed - further.take(needed)
    held += needed - missing
    return wanted - missing
  }
  const giveBack = () => {
    const unused = held - Math.max(0, inFlight + asked - 1)
    held -= unused
    further.release(unused)
  }
  const start = (taken: TakenDelivery) => {
    inFlight += 1
    deliver(taken)
      .then(({ outcome, charged }) => {
        if (outcome === 'succeeded') window.succeeded()
        else if (charged) window.failed()
      })
      .catch((error: unknown) => {
        failure = error
      })
      .finally(() => {
        inFlight -= 1
        giveBack()
        if (window.size - inFlight >= Math.min(refilledAtOnce, window.size / 2)) pause.end()
      })
  }
  try {
    while (true) {
      const isOpen = mayTake() && performance.now() < endsMs && failure === undefined
      asked = isOpen ? reserve() : 0
      const taken = asked > 0 ? await take(asked) : []
      asked = 0
      taken.forEach(start)
      giveBack()
      if (inFlight === 0 && taken.length === 0) break
      if (inFlight > 0) await pause.wait(lookEveryMs)
    }
  } finally {
    asked = 0
    giveBack()
  }
  if (failure !== undefined) throw failure
}

/** A wait that can be ended, even just before it begins. */
function createPause() {
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

import type { Config } from '../config.ts'
import type { DeliverWebhook } from '../deliveries/deliver-webhook.ts'
import type { TakenDelivery } from '../deliveries/take-store.ts'
import type { Endpoint } from './endpoint-store.ts'

/** A session takes new deliveries for so long; then other endpoints have their turn. */
const sessionMs = 5000
/** Time to settle an attempt. */
const settleMs = 5000
/** Interval at which a session with requests in flight looks for due deliveries. */
const lookEveryMs = 200
/** Requests at the same time to an endpoint that keeps failing. */
const strugglingInFlight = 2

/** Lease of a delivery that was taken. */
export const deliveryLeaseMs = ({ WEBHOOK_TIMEOUT }: Pick<Config, 'WEBHOOK_TIMEOUT'>) => WEBHOOK_TIMEOUT + settleMs

interface Session {
  config: Config
  endpoint: Endpoint
  take(room: number): Promise<TakenDelivery[]>
  deliver: DeliverWebhook
  /** Whether the session may still take deliveries. */
  mayTake(): boolean
}

/** Delivers what is due for one endpoint, a few at a time, until nothing is. */
export async function runSession({ config, endpoint, take, deliver, mayTake }: Session): Promise<void> {
  const most = endpoint.struggling ? Math.min(strugglingInFlight, config.WEBHOOK_IN_FLIGHT) : config.WEBHOOK_IN_FLIGHT
  const endsMs = performance.now() + sessionMs
  let inFlight = 0
  let failure: unknown
  let wake = () => {}
  const changed = (ms?: number) =>
    new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const start = (taken: TakenDelivery) => {
    inFlight += 1
    deliver(taken)
      .catch((error: unknown) => {
        failure = error
      })
      .finally(() => {
        inFlight -= 1
        // Refill half of the places at once: a statement per delivery would cost more than the delivery.
        if (inFlight <= most / 2) wake()
      })
  }
  while (true) {
    const isOpen = mayTake() && performance.now() < endsMs && failure === undefined
    const taken = isOpen ? await take(most - inFlight) : []
    taken.forEach(start)
    if (inFlight === 0 && taken.length === 0) break
    if (inFlight > 0) await changed(lookEveryMs)
  }
  if (failure !== undefined) throw failure
}

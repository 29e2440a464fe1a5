import type { Config } from '../config.ts'
import type { DeliverWebhook } from '../deliveries/deliver-webhook.ts'
import type { TakenDelivery } from '../deliveries/take-store.ts'
import type { Endpoint } from './endpoint-store.ts'

/** How long a session takes new deliveries; then others have their turn. */
const sessionMs = 5000
/** For what comes after an exchange: its settlement, and the end of the session. */
const settleMs = 5000
/** How often a session with requests in flight looks whether more has become due. */
const lookEveryMs = 200
/** Requests at the same time to an endpoint that keeps failing. */
const strugglingInFlight = 2

/** How long an endpoint may stay claimed: what was taken last is sent and settled by then. */
export const sessionLeaseMs = ({ WEBHOOK_TIMEOUT }: Config) =>
  sessionMs + deliveryLeaseMs({ WEBHOOK_TIMEOUT }) + settleMs

/** How long a delivery may stay taken. */
export const deliveryLeaseMs = ({ WEBHOOK_TIMEOUT }: Pick<Config, 'WEBHOOK_TIMEOUT'>) => WEBHOOK_TIMEOUT + settleMs

interface Session {
  config: Config
  endpoint: Endpoint
  take(room: number): Promise<TakenDelivery[]>
  deliver: DeliverWebhook
  isStopping(): boolean
}

/** Delivers what is due for one endpoint, a few at a time, until nothing is. */
export async function runSession({ config, endpoint, take, deliver, isStopping }: Session): Promise<void> {
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
        // Half of the places at once: a statement for each delivery would cost more than the delivery.
        if (inFlight <= most / 2) wake()
      })
  }
  while (true) {
    const isOpen = !isStopping() && performance.now() < endsMs && failure === undefined
    const taken = isOpen ? await take(most - inFlight) : []
    taken.forEach(start)
    if (inFlight === 0 && taken.length === 0) break
    if (inFlight > 0) await changed(lookEveryMs)
  }
  if (failure !== undefined) throw failure
}

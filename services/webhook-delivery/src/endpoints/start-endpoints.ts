import { coalesce, type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { createDelivery } from '../deliveries/deliver-webhook.ts'
import { type Room, type TakenDelivery, takeDeliveries } from '../deliveries/take-deliveries.ts'
import { claimEndpoints, type Endpoint, endpointsDueInMs } from './claim-endpoints.ts'
import { createWindows } from './earned-window.ts'
import { type Leases, leaseMs, startLeases } from './leases.ts'
import { mendEndpoints } from './mend-endpoints.ts'
import { deliveryLeaseMs, runSession } from './run-session.ts'
import { SharedSlots } from './shared-slots.ts'
import { watchLoad } from './watch-load.ts'

const lookEveryMs = 200
/** Without due deliveries: what this process stores wakes it, and retries tell their time. */
const idleEveryMs = 2000
const mendEveryMs = 30_000
/** Endpoints per claim; the next claim follows at once. */
const claimMost = 32

/**
 * Starts the workers: each endpoint with due deliveries gets a session. Tenants share the slots of sessions. Endpoints that keep
 * failing have their own slots, so those of a tenant do not delay its others.
 * @returns wakes the workers of this process
 */
export function startEndpoints(kit: Kit, context: Context): () => void {
  const { config } = context
  const sessions = new Set<Promise<void>>()
  let stopping = false
  // Stopped last: sessions that end still need their leases.
  const leases = startLeases(kit, context.db)
  const mostFurther = watchLoad(kit, config.WEBHOOK_ENDPOINTS)
  const run = createSessions(context, { leases, mostFurther, isStopping: () => stopping })
  const lane = (name: string, struggling: boolean, count: number) => {
    const places = new SharedSlots(count)
    const periodic = startPeriodic(kit, {
      name,
      everyMs: idleEveryMs,
      atLeastMs: lookEveryMs,
      async run() {
        const limit = Math.min(places.free, claimMost)
        if (limit === 0 || stopping) return 0
        const claimedMs = performance.now()
        const endpoints = await claimEndpoints(context.db.run, { limit, leaseMs, struggling, rooms: places.rooms() })
        leases.hold(endpoints, claimedMs)
        for (const endpoint of endpoints) {
          const { tenant_id } = endpoint
          places.hold(tenant_id, 1)
          const session = run(endpoint).finally(() => {
            const hadRoom = places.roomOf(tenant_id) > 0
            places.release(tenant_id, 1)
            sessions.delete(session)
            if (!hadRoom) periodic.wake()
          })
          sessions.add(session)
        }
        return endpoints.length > 0 || endpointsDueInMs(context.db.run, struggling)
      },
    })
    return periodic
  }
  kit.lifecycle.onStop('webhook sessions', async () => {
    stopping = true
    await Promise.all(sessions)
  })
  const healthy = lane('healthy endpoints', false, config.WEBHOOK_ENDPOINTS)
  const struggling = lane('struggling endpoints', true, Math.ceil(config.WEBHOOK_ENDPOINTS / 4))
  let mended: string | undefined
  startPeriodic(kit, {
    name: 'endpoint mending',
    everyMs: mendEveryMs,
    async run() {
      mended = await mendEndpoints(context.db.run, mended ?? '')
      return mended !== undefined
    },
  })
  return () => {
    healthy.wake()
    struggling.stir()
  }
}

interface Sessions {
  leases: Leases
  /** The number of requests beside the first one of each endpoint. */
  mostFurther(): number
  isStopping(): boolean
}

function createSessions(
  context: Context,
  { leases, mostFurther, isStopping }: Sessions,
): (endpoint: Endpoint) => Promise<void> {
  const { config, db, log } = context
  const deliver = createDelivery(context)
  const windowOf = createWindows(config.WEBHOOK_IN_FLIGHT)
  const furtherPlaces = new SharedSlots(config.WEBHOOK_ENDPOINTS)
  const take = coalesce<Room, TakenDelivery[]>({
    maxBatch: 64,
    maxInFlight: 2,
    async run(wanted) {
      const taken = Map.groupBy(
        await takeDeliveries(db.run, wanted, deliveryLeaseMs(config)),
        ({ endpoint_id }) => endpoint_id,
      )
      return wanted.map(({ endpoint_id }) => taken.get(endpoint_id) ?? [])
    },
  })
  const release = coalesce<Endpoint, undefined>({
    maxBatch: 64,
    maxInFlight: 2,
    async run(held) {
      await leases.release(held)
      return held.map(() => undefined)
    },
  })
  return async (endpoint) => {
    const { id: endpoint_id, tenant_id } = endpoint
    const warn = (err: unknown) => log.warn({ endpoint_id, err }, 'a session with an endpoint broke off')
    try {
      const mayTake = () => !isStopping() && leases.isHeld(endpoint)
      const further = {
        take(wanted: number) {
          const open = mostFurther() - (config.WEBHOOK_ENDPOINTS - furtherPlaces.free)
          return furtherPlaces.take(tenant_id, Math.max(0, Math.min(wanted, open)))
        },
        release: (count: number) => furtherPlaces.release(tenant_id, count),
      }
      const window = windowOf(endpoint_id)
      await runSession({ window, further, take: (room) => take({ endpoint_id, room }), deliver, mayTake })
    } catch (error) {
      // Its claimed deliveries are due again when their leases end; the rest need not wait for that.
      warn(error)
    }
    // An endpoint that cannot be released is claimed again when its lease ends.
    await release(endpoint).catch(warn)
  }
}

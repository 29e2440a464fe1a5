import { coalesce, type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { createDelivery } from '../deliveries/deliver-webhook.ts'
import { deliveryLeaseMs } from '../deliveries/delivery-lease.ts'
import type { NewDelivery } from '../deliveries/insert-deliveries.ts'
import { type Room, type Share, takeShares } from '../deliveries/take-deliveries.ts'
import { claimEndpoints, type Endpoint, endpointsDueInMs } from './claim-endpoints.ts'
import { createWindows } from './earned-window.ts'
import { type Leases, leaseMs, startLeases } from './leases.ts'
import { mendEndpoints } from './mend-endpoints.ts'
import { type Offer, offerSlots } from './offer-slots.ts'
import { type Beginning, Session } from './run-session.ts'
import { SharedSlots } from './shared-slots.ts'
import { watchLoad } from './watch-load.ts'

const lookEveryMs = 200
/** Without due deliveries: what this process stores wakes it, and retries tell their time. */
const idleEveryMs = 5000
const mendEveryMs = 30_000
/** Between pages of the repair. */
const mendRestMs = 100
/** Endpoints per claim; the next claim follows at once. */
const claimMost = 32
/** Sessions rest only while their tenant has this share of all slots left. */
const restShare = 1 / 16

/** The workers of this process. */
export interface Desk {
  /** Deliveries may be due. */
  wake(): void
  /** Another process stored deliveries of endpoints that it does not have. */
  look(endpointIds: readonly string[]): void
  /** Offers places to deliveries that are about to be stored. */
  offer(deliveries: readonly NewDelivery[]): Offer
}

/**
 * Starts the workers: each endpoint with due deliveries gets a session. Tenants share the slots of sessions. Endpoints that keep
 * failing have their own slots, so those of a tenant do not delay its others.
 * @param tellOthers names endpoints with new deliveries that another process has
 */
export function startEndpoints(kit: Kit, context: Context, tellOthers: (endpointId: string) => void): Desk {
  const { config } = context
  const running = new Set<Promise<void>>()
  const sessions = new Map<string, Session>()
  /** Endpoints that this process has, also those whose sessions have ended and are not released yet. */
  const held = new Set<string>()
  /** Those of them with deliveries that their session may not take any more. */
  const missed = new Set<string>()
  // Not only at the sessions' own stop: the stops before it may take longer than the process has.
  const isStopping = () => kit.lifecycle.stopping
  // Stopped last: sessions that end still need their leases.
  const leases = startLeases(kit, context.db)
  const mostFurther = watchLoad(kit, config.WEBHOOK_ENDPOINTS)
  const sessionFor = createSessions(context, { leases, mostFurther, isStopping })
  const release = createRelease(context, leases)
  const lane = (name: string, struggling: boolean, count: number) => {
    const places = new SharedSlots(count)
    const begin = (endpoint: Endpoint, claimedMs: number, beginning: Beginning) => {
      const { id, tenant_id } = endpoint
      leases.hold([endpoint], claimedMs)
      const mayRest = () => !struggling && places.roomOf(tenant_id) > count * restShare
      const session = sessionFor(endpoint, mayRest, beginning)
      sessions.set(id, session)
      held.add(id)
      const onEnd = () => {
        // After a lapsed lease, this process may have begun another one.
        if (sessions.get(id) === session) sessions.delete(id)
      }
      const ended = release(endpoint, session, onEnd).finally(() => {
        const hadRoom = places.roomOf(tenant_id) > 0
        places.release(tenant_id, 1)
        running.delete(ended)
        if (!sessions.has(id)) held.delete(id)
        const isMissed = missed.delete(id)
        if (!hadRoom || isMissed) periodic.wake()
        // A failure is tried again, in either lane.
        if (!session.isAlone) for (const { stir } of [healthy, slow]) stir()
      })
      running.add(ended)
    }
    const periodic = startPeriodic(kit, {
      name,
      everyMs: idleEveryMs,
      atLeastMs: lookEveryMs,
      async run(woken) {
        if (!woken) {
          const dueInMs = await endpointsDueInMs(context.db.run, struggling)
          if (dueInMs > 0) return dueInMs
        }
        const limit = Math.min(places.free, claimMost)
        if (limit === 0 || isStopping()) return 0
        const claimedMs = performance.now()
        const endpoints = await claimEndpoints(context.db.run, { limit, leaseMs, struggling, rooms: places.rooms() })
        for (const endpoint of endpoints) {
          places.hold(endpoint.tenant_id, 1)
          begin(endpoint, claimedMs, { hasMore: true, isAlone: false })
        }
        return endpoints.length > 0 || endpointsDueInMs(context.db.run, struggling)
      },
    })
    const { wake, stir } = periodic
    return { places, begin, wake, stir }
  }
  kit.lifecycle.onStop('webhook sessions', async () => {
    for (const session of sessions.values()) session.look()
    await Promise.all(running)
  })
  const healthy = lane('healthy endpoints', false, config.WEBHOOK_ENDPOINTS)
  const slow = lane('struggling endpoints', true, Math.ceil(config.WEBHOOK_ENDPOINTS / 4))
  startMending(kit, context)
  const look = (id: string) => {
    sessions.get(id)?.look()
    // Its session may be past its last look.
    if (held.has(id)) missed.add(id)
  }
  return {
    wake() {
      healthy.wake()
      slow.stir()
    },
    look: (ids) => ids.forEach(look),
    offer: (deliveries) =>
      offerSlots(
        {
          sessionOf(id) {
            const session = sessions.get(id)
            return session?.isOpen ? session : undefined
          },
          take: (tenantId) => !isStopping() && healthy.places.take(tenantId, 1) === 1,
          release: (tenantId) => healthy.places.release(tenantId, 1),
          begin: healthy.begin,
          missed(id, isLeased) {
            if (held.has(id)) return look(id)
            // Of an endpoint that was due before the lease is unknown.
            tellOthers(id)
            // The process that has it may be releasing it, and be notified too late.
            if (isLeased) healthy.stir()
            else healthy.wake()
          },
        },
        deliveries,
      ),
  }
}

function startMending(kit: Kit, { db }: Pick<Context, 'db'>): void {
  let mended: string | undefined
  startPeriodic(kit, {
    name: 'endpoint mending',
    everyMs: mendEveryMs,
    atLeastMs: mendRestMs,
    async run() {
      mended = await mendEndpoints(db.run, mended ?? '')
      return mended === undefined ? mendEveryMs : mendRestMs
    },
  })
}

interface Sessions {
  leases: Leases
  /** The number of requests beside the first one of each endpoint. */
  mostFurther(): number
  isStopping(): boolean
}

function createSessions(context: Context, { leases, mostFurther, isStopping }: Sessions) {
  const { config, db } = context
  const deliver = createDelivery(context)
  const windowOf = createWindows(config.WEBHOOK_IN_FLIGHT)
  const furtherPlaces = new SharedSlots(config.WEBHOOK_ENDPOINTS)
  const take = coalesce<Room, Share>({
    maxBatch: 64,
    maxInFlight: 2,
    run: (wanted) => takeShares(db.run, wanted, deliveryLeaseMs(config)),
  })
  return (endpoint: Endpoint, mayRest: () => boolean, beginning: Beginning) => {
    const { id: endpoint_id, tenant_id } = endpoint
    const further = {
      take(wanted: number) {
        const open = mostFurther() - (config.WEBHOOK_ENDPOINTS - furtherPlaces.free)
        return furtherPlaces.take(tenant_id, Math.max(0, Math.min(wanted, open)))
      },
      release: (count: number) => furtherPlaces.release(tenant_id, count),
    }
    const mayTake = () => !isStopping() && leases.isHeld(endpoint)
    const window = windowOf(endpoint_id)
    const options = { window, further, take: (room: number) => take({ endpoint_id, room }), deliver, mayTake, mayRest }
    return new Session(options, beginning)
  }
}

/** @returns runs a session and releases its endpoint; `onEnd` when the session takes no more. Never throws. */
function createRelease({ log }: Pick<Context, 'log'>, leases: Leases) {
  const release = coalesce<Endpoint, undefined>({
    maxBatch: 64,
    maxInFlight: 2,
    async run(held) {
      await leases.release(held)
      return held.map(() => undefined)
    },
  })
  return async (endpoint: Endpoint, session: Session, onEnd: () => void): Promise<void> => {
    const warn = (err: unknown) =>
      log.warn({ endpoint_id: endpoint.id, err }, 'a delivery session with an endpoint failed')
    // Its claimed deliveries are due again when their leases end; the rest need not wait for that.
    await session.run().catch(warn).finally(onEnd)
    // An endpoint that cannot be released is claimed again when its lease ends.
    await release(endpoint).catch(warn)
  }
}

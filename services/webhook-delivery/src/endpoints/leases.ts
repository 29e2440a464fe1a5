import type { Queries } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Endpoint } from './claim-endpoints.ts'
import { releaseEndpoints } from './release-endpoints.ts'
import { renewEndpoints } from './renew-endpoints.ts'

/** Lease of an endpoint. Others deliver to it this long after its worker has died. */
export const leaseMs = 8000
const renewEveryMs = 2000

/** The leases of the endpoints that this process delivers to. */
export interface Leases {
  /** Renews the leases of endpoints until they are released. @param claimedMs time before the claim, monotonic */
  hold(endpoints: readonly Endpoint[], claimedMs: number): void
  /** Whether no other worker can have claimed the endpoint. */
  isHeld(endpoint: Endpoint): boolean
  release(endpoints: readonly Endpoint[]): Promise<void>
}

/** Keeps leases as long as the process lives. A frozen process learns from its own clock that its leases have ended. */
export function startLeases(kit: Pick<Kit, 'log' | 'lifecycle'>, db: Queries): Leases {
  const endsMs = new Map<Endpoint, number>()
  let renewing: Promise<unknown> = Promise.resolve()
  const renew = async () => {
    const held = [...endsMs.keys()]
    if (held.length === 0) return
    const askedMs = performance.now()
    for (const { at, lease } of await renewEndpoints(db.run, held, leaseMs)) {
      const endpoint = held[at]!
      endpoint.lease = lease
      endsMs.set(endpoint, askedMs + leaseMs)
    }
  }
  startPeriodic(kit, {
    name: 'endpoint leases',
    everyMs: renewEveryMs,
    run() {
      const round = renew()
      renewing = round.catch(() => {})
      return round
    },
  })
  return {
    hold(endpoints, claimedMs) {
      for (const endpoint of endpoints) endsMs.set(endpoint, claimedMs + leaseMs)
    },
    isHeld: (endpoint) => performance.now() < (endsMs.get(endpoint) ?? 0),
    async release(endpoints) {
      // A renewal under way changes the lease that is released.
      await renewing
      for (const endpoint of endpoints) endsMs.delete(endpoint)
      await releaseEndpoints(db.run, endpoints)
    },
  }
}

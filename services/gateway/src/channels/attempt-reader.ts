import type { ActivityAttempt } from '@notify/contracts'
import type { RouteContext } from '../context.ts'

/** How the internal routes of the timeline are called. */
export interface Ask {
  principal: string
  timeoutMs: number
}

/**
 * Reads the attempts of a notification that another service delivers, in the form of a carrier's.
 * @throws Problem `service_unavailable`
 */
export type AttemptReader = (
  context: RouteContext,
  ask: Ask,
  of: { tenant_id: `ten_${string}`; notification_id: `notif_${string}` },
) => Promise<ActivityAttempt[]>

import { z } from 'zod'
import { activityLanes, Lane, NotificationFact } from './notifications.ts'
import type { OperatorPrincipal } from './principal.ts'
import { defineRoute, internal } from './route.ts'

/** As whom the gateway asks for what is of all tenants: it signs this for nobody else. */
export const gatewayItself: OperatorPrincipal = {
  kind: 'operator',
  subject: 'gateway',
  tenant_id: `ten_${'0'.repeat(26)}`,
  permissions: [],
}

/** The second net under the bus: which facts does a projection lack, or have an older revision of? */
export const compareNotifications = defineRoute({
  name: 'compareNotifications',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/notifications/compare',
  summary: 'The facts of a range of notifications that the caller does not know; signed as the gateway itself',
  auth: internal,
  body: z.object({
    after: z.string(),
    until: z.string(),
    quiet_seconds: z.number().min(0).meta({ description: 'What changed less than so long ago is still on its way' }),
    // A gateway of release 0.1 names none.
    lanes: z.array(Lane).default([...activityLanes]),
    known: z.record(z.string(), z.int()).meta({ description: 'Revisions by notification, of the whole range' }),
  }),
  responses: {
    200: z.object({
      facts: z.array(NotificationFact),
      reached: z.string().meta({ description: 'Up to where the range was compared' }),
    }),
  },
  errors: ['permission_denied', 'unauthenticated'],
})

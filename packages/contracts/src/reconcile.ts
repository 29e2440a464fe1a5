import { z } from 'zod'
import { Lane, NotificationFact } from './notifications.ts'
import type { OperatorPrincipal } from './principal.ts'
import { providerChanged } from './provider-events.ts'
import { defineRoute, internal, service } from './route.ts'

/** The gateway's own principal for requests across all tenants. No caller is ever signed as this. */
export const gatewayItself: OperatorPrincipal = {
  kind: 'operator',
  subject: 'gateway',
  tenant_id: `ten_${'0'.repeat(26)}`,
  permissions: [],
}

/** Finds notifications that a projection lacks or has in an older revision; complements the bus. */
export const compareNotifications = defineRoute({
  name: 'compareNotifications',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/notifications/compare',
  summary: 'List the changes in a range of notifications that the gateway lacks',
  auth: internal,
  idempotent: true,
  body: z.object({
    after: z.string(),
    until: z.string(),
    quiet_seconds: z
      .number()
      .min(0)
      .meta({ description: 'Ignore changes younger than this; they may still arrive over the bus' }),
    lanes: z.array(Lane),
    known: z.record(z.string(), z.int()).meta({ description: 'Known revision of each notification in the range' }),
  }),
  responses: {
    200: z.object({
      facts: z.array(NotificationFact),
      reached: z.string().meta({ description: 'End of the range that was compared' }),
    }),
  },
  errors: ['permission_denied', 'unauthenticated'],
})

/** Finds providers that callbacks does not know; complements the bus. */
export const findProviders = defineRoute({
  name: 'findProviders',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/providers/find',
  summary: 'Find the providers that have an id, or an account of the carrier',
  auth: service('providers:find'),
  idempotent: true,
  body: z.object({
    kind: z.string().meta({ example: 'twilio' }),
    id: z.string().meta({ description: "Id of a provider, or the carrier's id of an account" }),
  }),
  responses: { 200: z.object({ providers: z.array(providerChanged.schema) }) },
  errors: ['permission_denied', 'unauthenticated'],
})

import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { defineRoute, forwarded } from './route.ts'

/*
 * Dispatch alone writes providers, also those that sign for one webhook subscription. webhook-delivery chooses their ids and keeps
 * a copy of what it receives here and by `providerChanged`.
 */

const auth = forwarded('webhooks:manage', 'webhooks:manage')
const path = '/internal/v1/subscription-providers'
const owner = { subscription_id: idSchema('whsub'), application_id: idSchema('app') }

/** A provider as in `providerChanged`, with its credentials unencrypted. */
const IssuedProvider = z.object({
  revision: z.int(),
  priority: z.int(),
  credentials: z.record(z.string(), z.string()),
})
export type IssuedProvider = z.output<typeof IssuedProvider>

export const createSubscriptionProvider = defineRoute({
  name: 'createSubscriptionProvider',
  service: 'dispatch',
  method: 'POST',
  path,
  summary: 'Create the provider that signs for one webhook subscription. A repetition returns the existing one.',
  auth,
  body: z.object({ provider_id: idSchema('prov'), ...owner }),
  // The caller chooses the id.
  idempotent: true,
  confidential: true,
  responses: { 201: IssuedProvider },
  errors: ['not_found', ...idempotencyErrors],
})

export const rotateSubscriptionSecret = defineRoute({
  name: 'rotateSubscriptionSecret',
  service: 'dispatch',
  method: 'POST',
  path: `${path}/:provider_id/rotate-secret`,
  summary: 'Rotate the secret that signs for one webhook subscription',
  auth,
  params: z.object({ provider_id: givenId('prov') }),
  body: z.object(owner),
  confidential: true,
  responses: { 200: IssuedProvider },
  errors: ['not_found', ...idempotencyErrors],
})

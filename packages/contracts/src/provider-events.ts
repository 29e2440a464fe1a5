import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { defineEvent, SealedText } from './event.ts'
import { idSchema } from './ids.ts'

/** A provider was created or changed. Callbacks verifies signatures with its credentials. */
export const providerChanged = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.provider.changed',
  schema: z.object({
    provider_id: idSchema('prov'),
    tenant_id: idSchema('ten'),
    channel: Channel,
    kind: z.string(),
    revision: z.int(),
    /** The only application that may use it; null: all of the tenant. */
    application_id: idSchema('app').nullable(),
    priority: z.int(),
    /** `deleted`: only messages in flight may use it. Absent while it is active. */
    status: z.enum(['deleted']).optional(),
    /** The webhook subscription that it signs for alone. */
    subscription_id: idSchema('whsub').optional(),
    credentials: SealedText,
  }),
  sealed: { field: 'credentials', aad: ['tenant_id', 'provider_id'], content: z.record(z.string(), z.string()) },
})
export type ProviderChange = z.output<typeof providerChanged.schema>

/** A provider was deleted long enough ago that nothing needs its credentials. */
export const providerRemoved = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.provider.removed',
  schema: z.object({
    provider_id: idSchema('prov'),
    tenant_id: idSchema('ten'),
    channel: Channel,
    kind: z.string(),
    revision: z.int(),
  }),
})
export type ProviderRemoval = z.output<typeof providerRemoved.schema>

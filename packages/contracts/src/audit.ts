import { z } from 'zod'
import { defineEvent } from './event.ts'
import { idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

/**
 * Who made a change. `id` is a key's id, an operator's pseudonym as in GET /me, or a service's name; of kind `system` it is
 * `bootstrap` for the document of BOOTSTRAP_FILE, and `system` for a command.
 */
export const AuditActor = z.object({ kind: z.enum(['operator', 'key', 'service', 'system']), id: z.string() })
export type AuditActor = z.output<typeof AuditActor>

/** Fields of a resource by name, as its route shows them. Secrets are redacted, recipients masked. */
export const AuditFields = z.record(z.string(), z.unknown()).meta({ example: { name: 'Order shipped' } })
export type AuditFields = z.output<typeof AuditFields>

/** One change of management data: who changed what, when, and how. */
export const AuditEntry = z.object({
  audit_id: idSchema('aud'),
  tenant_id: idSchema('ten'),
  application_id: idSchema('app').nullable().meta({ description: 'Null for resources of the whole tenant' }),
  occurred_at: Timestamp,
  actor: AuditActor,
  action: z.string().meta({ description: '`<resource>.<verb>`', example: 'template.replaced' }),
  resource: z.object({ type: z.string(), id: z.string() }),
  before: AuditFields.nullable().meta({ description: 'The fields that changed; null when it was created' }),
  after: AuditFields.nullable().meta({ description: 'The fields that changed; null when it was deleted' }),
  request_id: z.string().nullable(),
})
export type AuditEntry = z.output<typeof AuditEntry>

/*
 * The service that owns the data publishes the entry through its outbox, in the transaction of the change. The gateway
 * collects the entries of all services in its audit log.
 */

export const dispatchAuditRecorded = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.audit.recorded',
  schema: AuditEntry,
})

export const consentAuditRecorded = defineEvent({
  publisher: 'consent',
  subject: 'consent.audit.recorded',
  schema: AuditEntry,
})

export const webhookAuditRecorded = defineEvent({
  publisher: 'webhook-delivery',
  subject: 'webhooks.audit.recorded',
  schema: AuditEntry,
})

const filters = {
  application_id: idSchema('app').optional().meta({ description: 'Changes of this application' }),
  actor_id: z.string().min(1).max(255).optional().meta({ description: 'Changes by this actor' }),
  action: z.string().min(1).max(100).optional().meta({ description: 'Changes of this kind' }),
  resource_type: z.string().min(1).max(100).optional().meta({ description: 'Changes of resources of this type' }),
  resource_id: z.string().min(1).max(255).optional().meta({ description: 'Changes of this resource' }),
  from: z.iso.datetime({ offset: true }).optional().meta({ description: 'Entries at or after this time' }),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: 'Entries before this time' }),
}

const ListedEntry = AuditEntry.meta({ id: 'AuditEntry' })

export const listAuditLog = defineRoute({
  name: 'listAuditLog',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/audit-log',
  summary: 'List configuration changes, newest first',
  auth: operator('audit:read'),
  query: z.strictObject({ ...filters, ...listQuery }),
  responses: {
    200: pageOf(ListedEntry).meta({ id: 'AuditLog' }),
  },
  errors: [],
})

export const exportAuditLog = defineRoute({
  name: 'exportAuditLog',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/audit-log/export',
  summary: 'Export configuration changes as JSON lines, newest first',
  auth: operator('audit:read'),
  query: z.strictObject(filters),
  responseType: 'application/x-ndjson',
  line: ListedEntry,
  responses: {
    200: z.string().meta({
      description: 'One AuditEntry per line. If the connection breaks, the file is incomplete.',
    }),
  },
  errors: ['export_limit_reached'],
})

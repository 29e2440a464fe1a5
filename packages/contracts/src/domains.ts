import { z } from 'zod'
import { defineEvent } from './event.ts'
import { idSchema } from './ids.ts'
import { listQuery } from './list.ts'
import { apiKeyOrOperator, defineRoute, NoContent } from './route.ts'
import { EventTime, Timestamp } from './text.ts'

/** `degraded`: it was verified, and its records have drifted since. */
export const DomainStatus = z.enum(['pending', 'verified', 'failed', 'degraded'])
export type DomainStatus = z.infer<typeof DomainStatus>

/** `pending`: not there yet; `failed`: there, but not as it must be, or gone after the domain was verified. */
export const DomainRecordStatus = z.enum(['pending', 'verified', 'failed'])
export type DomainRecordStatus = z.infer<typeof DomainRecordStatus>

/** A record to publish, and what was found at its name when it was last looked up. */
export const DomainRecord = z
  .object({
    purpose: z.enum(['spf', 'dkim', 'mail_from']),
    type: z.enum(['TXT', 'MX']),
    name: z.string().meta({ description: 'Fully qualified, without a dot at its end' }),
    value: z.string().meta({ description: 'A TXT value longer than 255 characters is published in several strings' }),
    ttl: z.int().meta({ description: 'Recommended, in seconds' }),
    priority: z.int().optional().meta({ description: 'Of MX records' }),
    status: DomainRecordStatus,
    found: z.string().optional().meta({ description: 'The records that were there, one on each line' }),
    error: z.string().optional().meta({ description: 'What is wrong, and what to do about it' }),
  })
  .meta({ id: 'DomainRecord' })
export type DomainRecord = z.infer<typeof DomainRecord>

export const Domain = z
  .object({
    domain_id: idSchema('dom'),
    domain: z.string(),
    status: DomainStatus,
    records: z.array(DomainRecord),
    verified_at: Timestamp.nullable(),
    last_checked_at: Timestamp.nullable(),
  })
  .meta({ id: 'Domain' })
export type Domain = z.infer<typeof Domain>

const auth = apiKeyOrOperator('domains:manage', 'domains:manage')
const params = z.object({ domain_id: z.string() })

export const listDomains = defineRoute({
  name: 'listDomains',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/domains',
  summary: 'The sending domains of the tenant, newest first',
  auth,
  query: z.strictObject(listQuery),
  responses: {
    200: z.object({ items: z.array(Domain), next_cursor: z.string().nullable() }).meta({ id: 'DomainList' }),
  },
  errors: [],
})

export const createDomain = defineRoute({
  name: 'createDomain',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/domains',
  summary: 'Register a sending domain; the answer holds the DNS records to publish',
  auth,
  body: z
    .strictObject({
      domain: z
        .string()
        .min(1)
        .max(1000)
        .meta({ description: 'Domain name; internationalised ones in either form', example: 'mail.example.com' }),
    })
    .meta({ id: 'NewDomain' }),
  responses: { 201: Domain },
  errors: [
    'domain_exists',
    'domain_limit_reached',
    'invalid_idempotency_key',
    'idempotency_conflict',
    'idempotency_in_progress',
  ],
})

export const getDomain = defineRoute({
  name: 'getDomain',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/domains/:domain_id',
  summary: 'A sending domain with its records',
  auth,
  params,
  responses: { 200: Domain },
  errors: ['not_found'],
})

export const deleteDomain = defineRoute({
  name: 'deleteDomain',
  service: 'dispatch',
  method: 'DELETE',
  path: '/api/v1/domains/:domain_id',
  summary: 'Remove a sending domain and its keys',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['not_found'],
})

export const verifyDomain = defineRoute({
  name: 'verifyDomain',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/domains/:domain_id/verify',
  summary: 'Look the records up in DNS now',
  auth,
  params,
  responses: { 200: Domain },
  errors: ['not_found', 'domain_taken', 'invalid_idempotency_key', 'idempotency_conflict', 'idempotency_in_progress'],
})

/** A sending domain is in a new state; `deleted` ends it. */
export const domainChanged = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.domain.changed',
  schema: z.object({
    domain_id: idSchema('dom'),
    tenant_id: idSchema('ten'),
    domain: z.string(),
    status: z.enum([...DomainStatus.options, 'deleted']),
    revision: z.int().min(1),
    occurred_at: EventTime,
  }),
})
export type DomainChange = z.output<typeof domainChanged.schema>

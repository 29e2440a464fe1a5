import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { defineEvent } from './event.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { apiKeyOrOperator, defineRoute, NoContent } from './route.ts'
import { EventTime, Timestamp } from './text.ts'

/** `degraded`: the domain was verified, but its records have changed since. */
export const DomainStatus = z.enum(['pending', 'verified', 'failed', 'degraded'])
export type DomainStatus = z.infer<typeof DomainStatus>

/** `pending`: not found yet. `failed`: found with a wrong value, or missing after verification. */
export const DomainRecordStatus = z.enum(['pending', 'verified', 'failed'])
export type DomainRecordStatus = z.infer<typeof DomainRecordStatus>

/** A record to publish, and the result of its last lookup. */
export const DomainRecord = z
  .object({
    purpose: z.enum(['spf', 'dkim', 'mail_from']),
    type: z.enum(['TXT', 'MX', 'CNAME']),
    name: z.string().meta({ description: 'Fully qualified name, without trailing dot' }),
    value: z.string().meta({ description: 'Publish TXT values longer than 255 characters as several strings' }),
    ttl: z.int().meta({ description: 'Recommended TTL in seconds' }),
    priority: z.int().optional().meta({ description: 'Of MX records' }),
    status: DomainRecordStatus,
    found: z.string().optional().meta({ description: 'Records found, one per line' }),
    error: z.string().optional().meta({ description: 'What is wrong and how to fix it' }),
    needed_by: z.array(idSchema('prov')).meta({
      description:
        'The providers whose carriers need it; the records of purpose dkim and spf without any prove the domain',
    }),
  })
  .meta({ id: 'DomainRecord' })
export type DomainRecord = z.infer<typeof DomainRecord>

/**
 * `verified`: the carrier lets the account send from the domain. `unmanaged`: the credentials may not ask, so messages are sent
 * and the carrier decides.
 */
export const DomainCarrierStatus = z.enum(['pending', 'verified', 'unmanaged'])
export type DomainCarrierStatus = z.infer<typeof DomainCarrierStatus>

/** The domain at the account of a provider, of kinds whose carriers register domains. */
const DomainCarrier = z
  .object({
    provider_id: idSchema('prov'),
    kind: z.string(),
    name: z.string(),
    status: DomainCarrierStatus.meta({
      description: 'Email from the domain is sent through the provider unless this is pending',
    }),
    error: z.string().optional().meta({ description: 'Why the carrier could not be asked' }),
    checked_at: Timestamp.nullable().meta({ description: 'Time of the latest answer of the carrier' }),
  })
  .meta({ id: 'DomainCarrier' })

export const Domain = z
  .object({
    domain_id: idSchema('dom'),
    domain: z.string(),
    status: DomainStatus,
    records: z.array(DomainRecord),
    carriers: z.array(DomainCarrier).meta({ description: 'By priority' }),
    verified_at: Timestamp.nullable(),
    last_checked_at: Timestamp.nullable(),
  })
  .meta({ id: 'Domain' })
export type Domain = z.infer<typeof Domain>

const auth = apiKeyOrOperator('domains:manage', 'domains:manage')
const params = z.object({ domain_id: givenId('dom') })

export const listDomains = defineRoute({
  name: 'listDomains',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/domains',
  summary: 'List sending domains of the tenant, newest first',
  auth,
  query: z.strictObject(listQuery),
  responses: {
    200: pageOf(Domain).meta({ id: 'DomainList' }),
  },
  errors: [],
})

export const createDomain = defineRoute({
  name: 'createDomain',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/domains',
  summary: 'Add a sending domain. The response lists the DNS records to publish.',
  auth,
  body: z
    .strictObject({
      domain: z
        .string()
        .min(1)
        .max(1000)
        .meta({ description: 'Domain name, as Unicode or in its xn-- form', example: 'mail.example.com' }),
    })
    .meta({ id: 'NewDomain' }),
  responses: { 201: Domain },
  errors: ['domain_exists', 'domain_limit_reached', ...idempotencyErrors],
})

export const getDomain = defineRoute({
  name: 'getDomain',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/domains/:domain_id',
  summary: 'Retrieve a sending domain and its DNS records',
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
  summary: 'Delete a sending domain and its DKIM keys',
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
  summary: 'Verify a sending domain by looking up its DNS records now',
  auth,
  params,
  waits: true,
  responses: { 200: Domain },
  errors: ['not_found', 'domain_taken', ...idempotencyErrors],
})

/** The status of a sending domain changed; `deleted` is final. */
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

import { z } from 'zod'
import { basedOn } from './based-on.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { Locale, TimeZone } from './locale.ts'
import { OtpSettings } from './otp.ts'
import { defineRoute, NoContent, operator } from './route.ts'
import { oneLinePattern, Timestamp } from './text.ts'

/** Also of tenants. */
export const ApplicationName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(oneLinePattern, 'must be one line without control characters')

/** An origin as browsers send it: scheme, host and port, in lower case and without a path (RFC 6454). */
export const Origin = z
  .string()
  .max(300)
  .refine((text) => !text.includes('*'), {
    error: 'must not contain a wildcard; list each origin, such as https://shop.example.com',
    abort: true,
  })
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '') && new URL(text).origin === text, {
    error:
      'must be an origin as browsers send it, such as https://shop.example.com: in lower case, without a path, a slash at its end or a default port',
  })
  .meta({ example: 'https://shop.example.com' })

/** How pages that recipients open look. */
export const Brand = z.strictObject({
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #0a5dc2')
    .optional()
    .meta({ description: 'Color of buttons and links', example: '#0a5dc2' }),
  logo_url: z
    .url({ protocol: /^https$/, error: 'must be an https address' })
    .max(2000)
    .optional()
    .meta({ description: 'Address of the logo', example: 'https://shop.example/logo.svg' }),
})
export type Brand = z.output<typeof Brand>

const settings = {
  name: ApplicationName,
  allowed_origins: z
    .array(Origin)
    .max(100)
    .transform((origins) => [...new Set(origins)])
    .meta({
      description: 'Origins whose pages may call the inbox and the live stream; each in full, without wildcards',
    }),
  otp: z.strictObject(OtpSettings.shape).meta({ description: 'How the application sends codes' }),
  default_locale: Locale.nullable().meta({
    description: 'Language of messages whose request and user name none, and of texts that are no translation',
  }),
  default_time_zone: TimeZone.nullable().meta({
    description: 'Zone of times in messages whose request and user name none',
  }),
  bulk_requires_topic: z
    .boolean()
    .meta({ description: 'Whether bulk messages without a topic are refused with topic_required' }),
  brand: Brand.meta({ description: 'How pages that recipients open look', example: { color: '#0a5dc2' } }),
}

/** A change of some settings (JSON Merge Patch, RFC 7396). */
const { allowed_countries, autofill_host, sends_per_minute } = OtpSettings.shape
export const OtpChange = z.strictObject({
  allowed_countries: allowed_countries.nullable(),
  autofill_host: autofill_host.nullable(),
  sends_per_minute: sends_per_minute.nullable(),
})
export type OtpChange = z.output<typeof OtpChange>

export const Application = z
  .object({
    application_id: idSchema('app'),
    name: z.string(),
    allowed_origins: z.array(z.string()),
    otp: OtpSettings,
    default_locale: z.string().nullable(),
    default_time_zone: z.string().nullable(),
    bulk_requires_topic: z.boolean(),
    brand: Brand,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Application' })
export type Application = z.output<typeof Application>

export const NewApplication = z.strictObject({
  name: settings.name,
  allowed_origins: settings.allowed_origins.default([]),
  otp: settings.otp.default({}),
  default_locale: settings.default_locale.default(null),
  default_time_zone: settings.default_time_zone.default(null),
  bulk_requires_topic: settings.bulk_requires_topic.default(false),
  brand: settings.brand.default({}),
})
export type NewApplication = z.output<typeof NewApplication>

const auth = operator('applications:manage')
const params = z.object({ application_id: givenId('app') })
const path = '/api/v1/applications/:application_id'

export const listApplications = defineRoute({
  name: 'listApplications',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/applications',
  summary: 'List the applications of the tenant, newest first',
  auth,
  query: z.strictObject(listQuery),
  responses: {
    200: pageOf(Application).meta({ id: 'ApplicationList' }),
  },
  errors: [],
})

export const createApplication = defineRoute({
  name: 'createApplication',
  service: 'gateway',
  method: 'POST',
  path: '/api/v1/applications',
  summary: 'Create an application',
  auth,
  body: NewApplication,
  responses: { 201: Application },
  errors: ['application_limit_reached', ...idempotencyErrors],
})

export const getApplication = defineRoute({
  name: 'getApplication',
  service: 'gateway',
  method: 'GET',
  path,
  summary: 'Retrieve an application',
  auth,
  params,
  responses: { 200: Application },
  errors: ['not_found'],
})

export const changeApplication = defineRoute({
  name: 'changeApplication',
  service: 'gateway',
  method: 'PATCH',
  path,
  summary:
    'Change an application. Fields that are absent keep their values, within otp too; null removes a setting of otp.',
  auth,
  params,
  query: basedOn,
  body: z.strictObject({
    name: settings.name.optional(),
    allowed_origins: settings.allowed_origins.optional(),
    default_locale: settings.default_locale.optional(),
    default_time_zone: settings.default_time_zone.optional(),
    bulk_requires_topic: settings.bulk_requires_topic.optional(),
    brand: settings.brand.optional(),
    otp: OtpChange.optional().meta({ description: 'Settings that are absent keep their values; null removes one' }),
  }),
  responses: { 200: Application },
  errors: ['not_found', 'edit_conflict'],
})

export const deleteApplication = defineRoute({
  name: 'deleteApplication',
  service: 'gateway',
  method: 'DELETE',
  path,
  summary:
    'Delete an application with its webhook subscriptions, cancel its broadcasts, and revoke its API keys and the tokens of its users. Its other accepted messages are still sent, and its providers and activity are kept. Its lists are deleted within minutes, and its users after 31 days.',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['not_found'],
})

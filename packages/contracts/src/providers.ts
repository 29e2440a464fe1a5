import { z } from 'zod'
import { basedOn } from './based-on.ts'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { defineRoute, NoContent, operator } from './route.ts'
import { Timestamp } from './text.ts'

/** Credentials as answers show them: of secrets the last four characters at most. */
const ShownCredentials = z.record(z.string(), z.string()).meta({
  description: 'Fields of the kind. Of secrets only the last 4 characters are shown.',
  example: { account_sid: 'AC0123456789abcdef0123456789abcdef', auth_token: '****89ab', from: '+15005550006' },
})

export const Provider = z
  .object({
    provider_id: idSchema('prov'),
    application_id: idSchema('app').nullable().meta({ description: 'The application that may use it. Null: all.' }),
    subscription_id: idSchema('whsub').nullable().meta({
      description: 'The webhook subscription that made it and that it signs for alone. Null: every other provider.',
    }),
    channel: Channel,
    kind: z.string(),
    name: z.string(),
    priority: z.int().meta({ description: 'The provider with the lowest number is tried first' }),
    rate_limit_per_second: z.int().nullable().meta({ description: 'Messages per second. Null: no limit.' }),
    credentials: ShownCredentials,
    credentials_updated_at: Timestamp,
    callback_url: z.string().nullable().meta({
      description: 'Address to register with the carrier for receipts and inbound messages. Null: nothing to register.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Provider' })
export type Provider = z.infer<typeof Provider>

const shownOnce = {
  secret: z.string().optional().meta({ description: 'Signing secret of kind webhook. Shown once.' }),
  verify_token: z.string().optional().meta({
    description: 'Token that Meta shows when the callback is registered, if none was given. Shown once.',
  }),
}

const Name = z.string().trim().min(1).max(200)
const Priority = z.int().min(0).max(1_000_000).meta({ description: 'Default: after all others of the channel' })
const Rate = z.int().min(1).max(10_000).nullable()

/** Values are judged by the kind. */
const longestCredential = 8192
const credentials = <Value extends z.ZodType>(value: Value) =>
  z
    .record(z.string().max(100), value)
    .refine((fields) => Object.keys(fields).length <= 20, 'must have at most 20 fields')

const auth = operator('providers:manage')
const params = z.object({ provider_id: givenId('prov') })
const path = '/api/v1/providers/:provider_id'

export const listProviders = defineRoute({
  name: 'listProviders',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/providers',
  summary: 'List the providers of the tenant, newest first',
  auth,
  query: z.strictObject({ channel: Channel.optional(), ...listQuery }),
  responses: {
    200: pageOf(Provider).meta({ id: 'ProviderList' }),
  },
  errors: [],
})

/** A kind of provider, with what a form for its credentials needs. */
export const ProviderKind = z
  .object({
    kind: z.string(),
    channel: Channel,
    credentials: z.record(z.string(), z.json()).meta({
      description:
        'JSON Schema of the credentials. Fields with `writeOnly` are secrets; those with `readOnly` are made by this service.',
    }),
    rotates_secret: z.boolean().meta({ description: 'Whether its signing secret can be rotated here' }),
  })
  .meta({ id: 'ProviderKind' })
export type ProviderKind = z.infer<typeof ProviderKind>

export const listProviderKinds = defineRoute({
  name: 'listProviderKinds',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/provider-kinds',
  summary: 'List the kinds of providers with the schemas of their credentials',
  auth,
  responses: { 200: z.object({ items: z.array(ProviderKind) }).meta({ id: 'ProviderKindList' }) },
  errors: [],
})

export const createProvider = defineRoute({
  name: 'createProvider',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/providers',
  summary: 'Add a provider. Messages are sent through it within a second.',
  auth,
  body: z
    .strictObject({
      channel: Channel,
      kind: z
        .string()
        .max(100)
        .meta({ description: 'twilio, ses, smtp, whatsapp_cloud or webhook', example: 'twilio' }),
      name: Name,
      application_id: idSchema('app').nullable().default(null),
      priority: Priority.optional(),
      rate_limit_per_second: Rate.default(null),
      credentials: credentials(z.string().max(longestCredential))
        .default({})
        .meta({ description: 'Fields of the kind; see the guide to providers. Never shown again.' }),
    })
    .meta({ id: 'NewProvider' }),
  confidential: true,
  responses: { 201: Provider.extend(shownOnce).meta({ id: 'CreatedProvider' }) },
  errors: ['provider_already_connected', 'provider_limit_reached', 'destination_not_allowed', ...idempotencyErrors],
})

export const getProvider = defineRoute({
  name: 'getProvider',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'Retrieve a provider',
  auth,
  params,
  responses: { 200: Provider },
  errors: ['not_found'],
})

export const changeProvider = defineRoute({
  name: 'changeProvider',
  service: 'dispatch',
  method: 'PATCH',
  path,
  summary: 'Change the name, priority, rate limit or credentials of a provider',
  auth,
  params,
  query: basedOn,
  body: z
    .strictObject({
      name: Name.optional(),
      priority: Priority.optional(),
      rate_limit_per_second: Rate.optional(),
      credentials: credentials(z.string().max(longestCredential).nullable())
        .optional()
        .meta({ description: 'Fields to replace; null removes a field. Others stay as they are.' }),
    })
    .meta({ id: 'ProviderChange' }),
  confidential: true,
  responses: { 200: Provider },
  errors: ['not_found', 'edit_conflict', 'provider_already_connected', 'destination_not_allowed'],
})

export const deleteProvider = defineRoute({
  name: 'deleteProvider',
  service: 'dispatch',
  method: 'DELETE',
  path,
  summary: 'Delete a provider. Receipts of its earlier messages are processed for seven more days.',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['not_found', 'provider_in_use'],
})

export const testProvider = defineRoute({
  name: 'testProvider',
  service: 'dispatch',
  method: 'POST',
  path: `${path}/test`,
  summary: 'Call the carrier with the credentials of a provider, without sending a message',
  auth,
  params,
  responses: {
    200: z
      .object({
        provider_id: idSchema('prov'),
        ok: z.boolean().meta({ description: 'Whether the carrier accepts the credentials and the account may send' }),
        code: z.string().nullable().meta({ description: 'Code of the carrier, or of the connection failure' }),
        message: z.string().meta({ description: 'What came back from the carrier' }),
        details: z.record(z.string(), z.string()).meta({ example: { status: 'active' } }),
        duration_ms: z.int(),
        tested_at: Timestamp,
      })
      .meta({ id: 'ProviderTest' }),
  },
  errors: ['not_found', 'destination_not_allowed', ...idempotencyErrors],
})

export const rotateProviderSecret = defineRoute({
  name: 'rotateProviderSecret',
  service: 'dispatch',
  method: 'POST',
  path: `${path}/rotate-secret`,
  summary: 'Rotate the signing secret. The one before it signs as well for 24 hours, and at most three sign.',
  auth,
  params,
  confidential: true,
  responses: {
    200: z
      .object({ provider_id: idSchema('prov'), secret: z.string(), previous_valid_until: Timestamp })
      .meta({ id: 'ProviderSecret' }),
  },
  errors: ['not_found', 'secret_of_carrier', ...idempotencyErrors],
})

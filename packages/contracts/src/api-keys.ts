import { z } from 'zod'
import { basedOn } from './based-on.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { KeyMode, KeyPermission, liveOnlyPermissions } from './permissions.ts'
import { defineRoute, NoContent, operator } from './route.ts'
import { oneLinePattern, Timestamp } from './text.ts'

/** Whether a test key is given a permission that only live keys may have. */
export function permissionsRefused(mode: KeyMode, permissions: readonly KeyPermission[]): KeyPermission[] {
  return mode === 'test' ? permissions.filter((permission) => liveOnlyPermissions.includes(permission)) : []
}

export const ApiKey = z
  .object({
    key_id: idSchema('key'),
    application_id: idSchema('app'),
    name: z.string(),
    mode: KeyMode,
    permissions: z.array(KeyPermission),
    rate_limit_per_second: z.int().nullable().meta({ description: 'Null: the default of the installation' }),
    status: z.enum(['active', 'expired', 'revoked']),
    expires_at: Timestamp.nullable().meta({ description: 'End of the overlap after a rotation' }),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.output<typeof ApiKey>

const secret = z.string().meta({ description: 'The key itself. Shown once.', example: 'sk_live_…' })

const settings = {
  name: z.string().trim().min(1).max(100).regex(oneLinePattern, 'must be one line without control characters'),
  permissions: z.array(KeyPermission).transform((permissions) => [...new Set(permissions)]),
  rate_limit_per_second: z.int().min(1).max(1_000_000).nullable(),
}

export const NewApiKey = z
  .strictObject({
    ...settings,
    mode: KeyMode.default('live'),
    rate_limit_per_second: settings.rate_limit_per_second.default(null),
  })
  .superRefine(({ mode, permissions }, issues) => {
    for (const permission of permissionsRefused(mode, permissions)) {
      const message = `must not be ${permission} for a test key`
      issues.addIssue({ code: 'custom', path: ['permissions', permissions.indexOf(permission)], message })
    }
  })

const auth = operator('applications:manage')
const params = z.object({ application_id: givenId('app') })
const keyParams = z.object({ application_id: givenId('app'), key_id: givenId('key') })
const path = '/api/v1/applications/:application_id/keys'

export const listApiKeys = defineRoute({
  name: 'listApiKeys',
  service: 'gateway',
  method: 'GET',
  path,
  summary: 'List the API keys of an application, including revoked ones, newest first',
  auth,
  params,
  query: z.strictObject({ mode: KeyMode.optional().meta({ description: 'Only keys of this mode' }), ...listQuery }),
  responses: {
    200: pageOf(ApiKey).meta({ id: 'ApiKeyList' }),
  },
  errors: ['not_found'],
})

export const createApiKey = defineRoute({
  name: 'createApiKey',
  service: 'gateway',
  method: 'POST',
  path,
  summary: 'Create an API key. The response is the only one that contains the key.',
  auth,
  params,
  body: NewApiKey,
  confidential: true,
  responses: { 201: ApiKey.extend({ api_key: secret }).meta({ id: 'CreatedApiKey' }) },
  errors: ['not_found', 'api_key_limit_reached', ...idempotencyErrors],
})

export const getApiKey = defineRoute({
  name: 'getApiKey',
  service: 'gateway',
  method: 'GET',
  path: `${path}/:key_id`,
  summary: 'Retrieve an API key, without its secret',
  auth,
  params: keyParams,
  responses: { 200: ApiKey },
  errors: ['not_found'],
})

export const changeApiKey = defineRoute({
  name: 'changeApiKey',
  service: 'gateway',
  method: 'PATCH',
  path: `${path}/:key_id`,
  summary: 'Change the name, permissions or rate limit of an API key. Applies within a second.',
  auth,
  params: keyParams,
  query: basedOn,
  body: z.strictObject({
    name: settings.name.optional(),
    permissions: settings.permissions.optional().meta({ description: 'Replaces all permissions' }),
    rate_limit_per_second: settings.rate_limit_per_second.optional(),
  }),
  responses: { 200: ApiKey },
  errors: ['not_found', 'key_not_active', 'edit_conflict'],
})

export const revokeApiKey = defineRoute({
  name: 'revokeApiKey',
  service: 'gateway',
  method: 'DELETE',
  path: `${path}/:key_id`,
  summary: 'Revoke an API key. It stops working within a second.',
  auth,
  params: keyParams,
  responses: { 204: NoContent },
  errors: ['not_found'],
})

const dayInSeconds = 86_400

export const rotateApiKey = defineRoute({
  name: 'rotateApiKey',
  service: 'gateway',
  method: 'POST',
  path: `${path}/:key_id/rotate`,
  summary:
    'Rotate an API key. The old and the new key both work until the overlap ends; until then neither can be rotated again.',
  auth,
  params: keyParams,
  body: z.strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(30 * dayInSeconds)
      .default(dayInSeconds)
      .meta({ description: 'Time for which the previous key still works; 0 ends it at once' }),
  }),
  confidential: true,
  responses: {
    201: ApiKey.extend({
      api_key: secret,
      previous_key_id: idSchema('key'),
      previous_valid_until: Timestamp,
    }).meta({ id: 'RotatedApiKey' }),
  },
  errors: ['not_found', 'key_not_active', 'key_rotation_under_way', 'api_key_limit_reached', ...idempotencyErrors],
})

import { z } from 'zod'
import type { ServiceName } from './services.ts'

/** Messages of live keys go to the carriers, those of test keys to the carrier sandbox only. */
export const KeyMode = z.enum(['live', 'test'])
export type KeyMode = z.infer<typeof KeyMode>
/** A filter by the mode of the keys. */
export const modeFilter = {
  mode: KeyMode.optional().meta({ description: 'Only resources that keys of this mode created' }),
}

/** Permissions of API keys. */
export const KeyPermission = z.enum([
  'notifications:send',
  'notifications:read',
  'otp:send',
  'otp:verify',
  'otp:custom_code',
  'inbox:token',
  'domains:manage',
  'webhooks:manage',
  'recipients:manage',
  'lists:manage',
])
export type KeyPermission = z.infer<typeof KeyPermission>

/** Permissions that a test key may not have, because live sends depend on what they change. */
export const liveOnlyPermissions: readonly KeyPermission[] = ['domains:manage', 'webhooks:manage']

/** Permissions of console operators. */
export const OperatorPermission = z.enum([
  'activity:read',
  'activity:retry',
  'applications:manage',
  'events:manage',
  'providers:manage',
  'domains:manage',
  'webhooks:manage',
  'consents:read',
  'audit:read',
  'usage:read',
  'topics:manage',
  'content:read',
])
export type OperatorPermission = z.infer<typeof OperatorPermission>

/** The permissions of internal services at each other. */
export const ServicePermission = z.enum([
  'notifications:accept',
  'consents:check',
  'timelines:read',
  'providers:find',
  'preferences:change',
  'preferences:link',
  'hand-offs:judge',
])
export type ServicePermission = z.infer<typeof ServicePermission>

/** Which services may do what. A service signs its own calls, so a permission that it claims counts only if it is listed here. */
export const servicePermissions: Partial<Record<ServiceName, readonly ServicePermission[]>> = {
  otp: ['notifications:accept'],
  dispatch: ['consents:check'],
  gateway: ['timelines:read', 'preferences:link'],
  callbacks: ['providers:find'],
  'inbox-stream': ['preferences:change', 'hand-offs:judge'],
  'webhook-delivery': ['hand-offs:judge'],
}

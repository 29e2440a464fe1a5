import { z } from 'zod'

/** Whether a key's messages go to the carriers, or to the carrier sandbox alone. */
export const KeyMode = z.enum(['live', 'test'])
export type KeyMode = z.infer<typeof KeyMode>

/** What an application's API key may be allowed to do. */
export const KeyPermission = z.enum([
  'notifications:send',
  'notifications:read',
  'otp:send',
  'otp:verify',
  'otp:custom_code',
  'inbox:token',
  'domains:manage',
])
export type KeyPermission = z.infer<typeof KeyPermission>

/** What a test key may never do: live sends use what it would make or remove. */
export const liveOnlyPermissions: readonly KeyPermission[] = ['domains:manage']

/** What a console operator may be allowed to do. */
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
])
export type OperatorPermission = z.infer<typeof OperatorPermission>

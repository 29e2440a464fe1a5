import type { Tone } from '../../ui/badge.tsx'
import type { Check } from '../../ui/check-group.tsx'
import type { ApiKey } from './queries.ts'

export type KeyPermission = ApiKey['permissions'][number]

const meanings: Record<KeyPermission, string> = {
  'notifications:send': 'Send and cancel notifications',
  'notifications:read': 'Read the state of notifications',
  'otp:send': 'Send one-time codes',
  'otp:verify': 'Verify one-time codes',
  'otp:custom_code': 'Give the code itself when sending it',
  'inbox:token': 'Mint inbox tokens for users',
  'domains:manage': 'Manage sending domains; live keys only',
  'webhooks:manage': 'Manage webhook subscriptions; live keys only',
  'recipients:manage': 'Manage users with their addresses',
  'lists:manage': 'Manage lists of users, and send to them',
}
/** Permissions that a test key may not have, because they affect live messages. */
const liveOnly: readonly KeyPermission[] = ['domains:manage', 'webhooks:manage']

export const permissionChoices = (mode: ApiKey['mode']): Check[] =>
  Object.entries(meanings).map(([value, hint]) => ({
    value,
    label: value,
    hint,
    disabled: mode === 'test' && liveOnly.includes(value as KeyPermission),
  }))

/** The chosen permissions, without those that a key of the mode may not have. */
export const allowedIn = (mode: ApiKey['mode'], permissions: readonly KeyPermission[]): KeyPermission[] =>
  permissions.filter((permission) => mode === 'live' || !liveOnly.includes(permission))

export function stateOf({ status, expires_at }: ApiKey): { name: string; tone: Tone } {
  if (status === 'revoked') return { name: 'Revoked', tone: 'quiet' }
  if (status === 'expired') return { name: 'Expired', tone: 'quiet' }
  return expires_at ? { name: 'Rotated, still works', tone: 'warn' } : { name: 'Active', tone: 'good' }
}

import { type KeyPrincipal, newId } from '@notify/contracts'

/** The caller of a live key, of a tenant and an application of its own, that may send. */
export function newKeyPrincipal(fields: Partial<KeyPrincipal> = {}): KeyPrincipal {
  return {
    kind: 'key',
    key_id: newId('key'),
    mode: 'live',
    tenant_id: newId('ten'),
    application_id: newId('app'),
    permissions: ['notifications:send'],
    ...fields,
  }
}

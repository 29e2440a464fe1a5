import { OperatorPermission } from '@notify/contracts'
import type { State } from '../state/state.ts'
import type { ProviderClient } from './config.ts'

/** Audience of the demo's tokens; the gateway accepts no other. */
export const audience = 'urn:notify:api'

/** Client id of the operators' console. */
export const consoleClientId = 'notify-console'

/** The demo operators: one has all permissions, the other all but retrying. */
export function operatorClients({ operator, operator_no_retry, tenant_id }: State): ProviderClient[] {
  const all = OperatorPermission.options
  return [
    { ...operator, tenant_id, permissions: [...all], claims: { name: 'Ada Admin', email: 'ada@example.com' } },
    {
      ...operator_no_retry,
      tenant_id,
      permissions: all.filter((permission) => permission !== 'activity:retry'),
      claims: { name: 'Rita Reader', email: 'rita@example.com' },
    },
  ]
}

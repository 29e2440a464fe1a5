import type { Id, KeyPrincipal, OperatorPrincipal } from '@notify/contracts'
import type { Run } from '@notify/database'
import { type AllowList, DestinationError, readDestination } from '@notify/egress-guard'
import { Problem } from '@notify/service-kit'
import { findSubscription, lockSubscription, type Scope, type SubscriptionRow } from './subscription-store.ts'

/** Who may manage subscriptions. */
export type Manager = KeyPrincipal | OperatorPrincipal

/** What a caller may see: an API key its application's, an operator the tenant's. */
export function scopeOf(principal: Manager): Scope {
  const applicationId = principal.kind === 'key' ? principal.application_id : undefined
  return { tenantId: principal.tenant_id, applicationId }
}

/** The actor that a change is attributed to. */
export function actorOf(principal: Manager): string {
  return principal.kind === 'key' ? principal.key_id : principal.subject
}

/** @throws Problem `not_found` also for what belongs to others */
export async function requireSubscription(run: Run, principal: Manager, id: Id<'whsub'>): Promise<SubscriptionRow> {
  const row = await findSubscription(run, scopeOf(principal), id)
  if (!row) throw noSuchSubscription()
  return row
}

/** Locks the subscription until the transaction ends. @throws Problem `not_found` also for what belongs to others */
export async function requireLocked(run: Run, principal: Manager, id: Id<'whsub'>): Promise<SubscriptionRow> {
  const row = await lockSubscription(run, scopeOf(principal), id)
  if (!row) throw noSuchSubscription()
  return row
}

function noSuchSubscription(): Problem {
  return new Problem('not_found', 'No webhook subscription has this id')
}

/** @throws Problem `destination_not_allowed` */
export function requireDestination(url: string, allowed: AllowList): void {
  try {
    readDestination(url, allowed)
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error
    throw new Problem('destination_not_allowed', `The address ${error.message}`, {
      errors: [{ path: 'url', message: error.message }],
    })
  }
}

/** @throws Problem `subscription_disabled` */
export function requireActive({ status }: Pick<SubscriptionRow, 'status'>): void {
  if (status !== 'active') throw new Problem('subscription_disabled', 'The subscription is disabled; enable it first')
}

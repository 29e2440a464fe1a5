import type { changeWebhookSubscription as contract, Id } from '@notify/contracts'
import { nextUpdatedAt, type Run, requireUnchanged } from '@notify/database'
import { fieldProblem, type Handler } from '@notify/service-kit'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { urlAad } from '../db/aad.ts'
import { build } from '../db/schema.ts'
import { findProvider } from '../providers/provider-store.ts'
import { eraseRemoved } from '../providers/removal-store.ts'
import { requireShared } from '../providers/require-shared.ts'
import { auditSubscription } from './audit-subscription.ts'
import { addressOf, describeSubscription } from './describe-subscription.ts'
import { setEndpointActive } from './disable-subscription.ts'
import { actorOf, requireDestination, requireLocked, requireSubscription } from './scope.ts'
import { publishSubscription, type SubscriptionRow } from './subscription-store.ts'

/** Changes a subscription. While it is disabled nothing new is stored for it; waiting deliveries resume when it is enabled. */
export const changeSubscription: Handler<Context, typeof contract> = async (context, request) => {
  const { config, db, secrets, wakeEndpoints, wakeOutbox } = context
  const { body, params, principal, query } = request
  const id = params.subscription_id
  if (body.url !== undefined) requireDestination(body.url, config.WEBHOOK_EGRESS_ALLOW)
  const row = await db.transaction(async (run) => {
    const known = await requireLocked(run, principal, id)
    requireUnchanged('subscription', known.updated_at, query.expected_updated_at)
    const status = body.status ?? known.status
    const disabled_reason = status === 'active' ? null : (known.disabled_reason ?? 'operator')
    const moves = body.url !== undefined && body.url !== addressOf(secrets.keyRing, known)
    const url = moves ? secrets.keyRing.encrypt(body.url!, urlAad(known.tenant_id, id)) : known.url
    const { events = known.events, description = known.description, provider_id = known.provider_id } = body
    if (provider_id !== known.provider_id) await requireReplaceable(run, known, provider_id)
    await run(
      build
        .updateTable('subscriptions')
        .set(({ eb }) => ({
          url,
          events,
          description,
          provider_id,
          status,
          disabled_reason,
          revision: eb('revision', '+', 1),
        }))
        .set('updated_at', sql.raw<Date>(nextUpdatedAt()))
        .where('id', '=', id),
    )
    // The failures were those of the former address.
    if (moves || status !== known.status) await setEndpointActive(run, id, status === 'active')
    const changed = await requireSubscription(run, principal, id)
    if (provider_id !== known.provider_id) await eraseRemoved(run, known.provider_id)
    if (status !== known.status) await publishSubscription(run, changed, actorOf(principal))
    const describe = (one: SubscriptionRow) => describeSubscription(secrets.keyRing, one)
    const change = { request, before: describe(known), after: describe(changed) }
    await auditSubscription(run, { ...change, action: 'webhook_subscription.changed' })
    return changed
  })
  wakeOutbox()
  wakeEndpoints()
  return describeSubscription(secrets.keyRing, row)
}

/** @throws Problem `validation_failed` when the subscription has a provider of its own, or may not name the other one */
async function requireReplaceable(run: Run, known: SubscriptionRow, id: Id<'prov'>): Promise<void> {
  if ((await findProvider(run, known.provider_id, known.tenant_id))?.own)
    throw fieldProblem(
      'validation_failed',
      'provider_id',
      'cannot replace the provider that was made for the subscription',
    )
  await requireShared(run, id, known)
}

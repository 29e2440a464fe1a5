import type { WebhookSubscription } from '@notify/contracts'
import type { Run } from '@notify/database'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'
import { removeEndpoint } from '../endpoints/remove-endpoint.ts'
import { deleteOwnProvider } from '../providers/provider-store.ts'
import { eraseRemoved } from '../providers/removal-store.ts'
import { describeSubscription } from './describe-subscription.ts'
import { publishSubscription, type SubscriptionRow } from './subscription-store.ts'

/** Ends a subscription at once, with the provider made for it. @returns what it was */
export async function removeSubscription(
  run: Run,
  { secrets: { keyRing } }: Pick<Context, 'secrets'>,
  row: SubscriptionRow,
  actor: string | null,
): Promise<WebhookSubscription> {
  await run(build.deleteFrom('subscriptions').where('id', '=', row.id))
  await run(build.deleteFrom('replays').where('subscription_id', '=', row.id))
  const endsProvider = await deleteOwnProvider(run, row.provider_id)
  if (!endsProvider) await eraseRemoved(run, row.provider_id)
  await removeEndpoint(run, row.id)
  const deleted = { ...row, revision: row.revision + 1, status: 'deleted' as const }
  await publishSubscription(run, deleted, actor, endsProvider ? row.provider_id : undefined)
  return describeSubscription(keyRing, row)
}

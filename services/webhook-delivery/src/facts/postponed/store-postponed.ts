import type { Context } from '../../context.ts'
import { fanOutAad } from '../../db/aad.ts'
import type { StoreDeliveries } from '../../deliveries/insert-deliveries.ts'
import { findSubscribers } from '../../subscriptions/subscription-store.ts'
import { storePreference } from '../publish-preference.ts'
import { type Opened, storeFacts } from '../store-facts.ts'
import { mostAtOnce, type PostponedEvent } from './postpone.ts'
import { type ClaimedFanOut, claimFanOuts, delayFanOuts, deleteFanOuts } from './postponed-store.ts'

type Needs = Context & { storeDeliveries: StoreDeliveries }

/**
 * Stores the deliveries of postponed events, tenant by tenant, some of each. What fails is claimed again when its lease ends.
 * @returns whether more may wait
 */
export async function storePostponed(context: Needs): Promise<boolean> {
  const claimed = await claimFanOuts(context.db.run, mostAtOnce)
  for (const rows of Map.groupBy(claimed, (row) => row.tenant_id).values()) {
    // One that fails must not keep the others from being stored.
    await storeOfTenant(context, rows).catch(() => storeOneByOne(context, rows))
  }
  return claimed.length > 0
}

async function storeOneByOne(context: Needs, rows: readonly ClaimedFanOut[]): Promise<void> {
  for (const row of rows) {
    await storeOfTenant(context, [row]).catch((err) =>
      context.log.error(
        { err, tenant_id: row.tenant_id, event: row.id },
        'a postponed event could not be stored; it is repeated',
      ),
    )
  }
}

async function storeOfTenant(context: Needs, rows: readonly ClaimedFanOut[]): Promise<void> {
  const events = rows.map((row) => ({ id: row.id, isLate: row.is_late, event: open(context, row) }))
  const facts = new Map<Opened, string>()
  for (const { id, event } of events) if (event.of === 'fact') facts.set(event, id)
  const late = new Set(events.flatMap(({ isLate, event }) => (isLate && event.of === 'fact' ? [event.fact] : [])))
  const opened = [...facts.keys()]
  const subscribers = await findSubscribers(
    context.db.run,
    opened.map(({ fact }) => fact),
  )
  const early = await storeFacts(context, opened, subscribers, late)
  for (const { event } of events)
    if (event.of === 'preference') await storePreference(context, event.change, event.traceparent)
  const waiting = new Set([...early].map((one) => facts.get(one)!))
  await deleteFanOuts(
    context.db.run,
    events.flatMap(({ id }) => (waiting.has(id) ? [] : [id])),
  )
  if (waiting.size > 0) await delayFanOuts(context.db.run, [...waiting])
}

function open({ secrets }: Context, { id, tenant_id, event }: ClaimedFanOut): PostponedEvent {
  return JSON.parse(secrets.keyRing.decrypt(event, fanOutAad(tenant_id, id))) as PostponedEvent
}

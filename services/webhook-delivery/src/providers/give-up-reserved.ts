import { subscriptionChanged } from '@notify/contracts'
import { enqueueEvents } from '@notify/database'
import type { Context } from '../context.ts'
import { deleteReserved } from './reservation-store.ts'

const batch = 100

/** Deletes providers whose subscriptions were refused or never committed, here and in dispatch. @returns whether more remain */
export async function giveUpReserved({ db, wakeOutbox }: Pick<Context, 'db' | 'wakeOutbox'>): Promise<boolean> {
  const count = await db.transaction(async (run) => {
    const reserved = await deleteReserved(run, batch)
    const occurred_at = new Date().toISOString()
    const events = reserved.map(({ id: provider_id, ...owner }) => ({
      event: {
        ...{ provider_id, ...owner },
        ...{ status: 'deleted' as const, reason: null, actor: null, revision: 1, occurred_at },
      },
    }))
    if (events.length > 0) await enqueueEvents(run, subscriptionChanged, events)
    return reserved.length
  })
  if (count > 0) wakeOutbox()
  return count === batch
}

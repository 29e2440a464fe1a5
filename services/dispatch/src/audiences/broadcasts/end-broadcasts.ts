import type { ApplicationChange } from '@notify/contracts'
import type { Context } from '../../context.ts'
import { cancelBroadcastsOf } from './broadcast-store.ts'

/** Cancels the broadcasts of a deleted application. A repeated event finds none. */
export async function endBroadcasts({ db }: Pick<Context, 'db'>, change: ApplicationChange): Promise<void> {
  if (change.status === 'revoked') await cancelBroadcastsOf(db.run, change)
}

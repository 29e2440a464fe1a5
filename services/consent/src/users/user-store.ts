import type { Id } from '@notify/contracts'
import { prepared, type Run } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

/** A user as the carrier knows them. */
export interface UserKey {
  tenantId: Id<'ten'>
  /** Blind index of the carrier's id. */
  userIndex: string
}

const lock = prepared('lock-user', ({ tenantId, userIndex }: UserKey) =>
  build
    .insertInto('users')
    .values({ tenant_id: tenantId, user_index: userIndex })
    .onConflict((known) =>
      known.columns(['tenant_id', 'user_index']).doUpdateSet(({ ref }) => ({ user_index: ref('users.user_index') })),
    )
    .returning('phone'),
)

/** Locks a user until the transaction ends, so that a concurrent change and number always see each other. */
export async function lockUser(run: Run, user: UserKey): Promise<Buffer | null> {
  const [row] = await run(lock(user))
  return row!.phone
}

/** Stores the number of a locked user. */
export async function savePhone(run: Run, { tenantId, userIndex }: UserKey, phone: Buffer): Promise<void> {
  await run(
    build.updateTable('users').set({ phone }).where('tenant_id', '=', tenantId).where('user_index', '=', userIndex),
  )
}

export type WaitingChange = Pick<Selectable<Tables['waiting_changes']>, 'origin' | 'action' | 'source'> & {
  /** The carrier's time, if it reports one. */
  occurred_at: Date | null
}

/** Stores a change of a locked user whose number is not known yet. @returns false if it was stored before */
export async function addWaiting(run: Run, { tenantId, userIndex }: UserKey, change: WaitingChange): Promise<boolean> {
  const occurred_at = change.occurred_at ?? sql<Date>`now()`
  const added = await run(
    build
      .insertInto('waiting_changes')
      .values({ tenant_id: tenantId, user_index: userIndex, ...change, occurred_at })
      .onConflict((known) => known.doNothing())
      .returning('origin'),
  )
  return added.length > 0
}

/** Removes the waiting changes of a locked user. @returns them in the order in which they were made */
export function takeWaiting(run: Run, { tenantId, userIndex }: UserKey): Promise<WaitingChange[]> {
  return run(
    build
      .with('taken', () =>
        build
          .deleteFrom('waiting_changes')
          .where('tenant_id', '=', tenantId)
          .where('user_index', '=', userIndex)
          .returningAll(),
      )
      .selectFrom('taken')
      .select(['origin', 'action', 'source', 'occurred_at'])
      .orderBy('occurred_at')
      .orderBy('origin'),
  )
}

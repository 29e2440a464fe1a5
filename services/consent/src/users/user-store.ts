import type { Run, Statement } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'

/** A user as the carrier knows them. */
export interface UserKey {
  tenantId: string
  /** Blind index of the carrier's id. */
  userIndex: string
}

const lock: Statement = {
  name: 'lock-user',
  text: `insert into users as known (tenant_id, user_index) values ($1, $2)
         on conflict (tenant_id, user_index) do update set user_index = known.user_index
         returning phone`,
}

/** Locks a user until the transaction ends, so that a change and the user's number never miss each other. */
export async function lockUser(run: Run, { tenantId, userIndex }: UserKey): Promise<Buffer | null> {
  const [row] = await run<{ phone: Buffer | null }>(lock, [tenantId, userIndex])
  return row!.phone
}

/** Keeps the number of a locked user. */
export async function savePhone(run: Run, { tenantId, userIndex }: UserKey, phone: Buffer): Promise<void> {
  await run('update users set phone = $3 where tenant_id = $1 and user_index = $2', [tenantId, userIndex, phone])
}

export type WaitingChange = Pick<Selectable<Tables['waiting_changes']>, 'origin' | 'action' | 'source'>

/** Keeps a change of a locked user whose number is not known yet. @returns false for one that is kept already */
export async function addWaiting(
  run: Run,
  { tenantId, userIndex }: UserKey,
  { origin, action, source }: WaitingChange,
  receivedAt: string,
): Promise<boolean> {
  const added = await run(
    `insert into waiting_changes (tenant_id, user_index, origin, action, source, received_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
    [tenantId, userIndex, origin, action, source, receivedAt],
  )
  return added.length > 0
}

/** Removes the waiting changes of a locked user. @returns them in the order in which they were received */
export function takeWaiting(run: Run, { tenantId, userIndex }: UserKey): Promise<WaitingChange[]> {
  return run<WaitingChange>(
    `with taken as (delete from waiting_changes where tenant_id = $1 and user_index = $2 returning *)
     select origin, action, source from taken order by received_at, origin`,
    [tenantId, userIndex],
  )
}

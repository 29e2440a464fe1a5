import type { CallbackToken } from '@notify/carriers/receiving'
import { defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'

/** Half of a SHA-256, which is enough to tell two bodies apart. */
const uuidBytes = 16

/** Inserts the token, or reads the row of its first use, in one step. */
const claim = defineStatement({
  name: 'claim-callback-token',
  text: `
    insert into received_callbacks as known (provider_id, provider_message_id, status, message_id)
    values ($1, 'token ' || $2, 'token', $3::uuid)
    on conflict (provider_message_id, status, provider_id) do update set status = known.status
    returning message_id`,
  columns: pick(tables.received_callbacks, 'message_id'),
})

/** Whether the token is new, or came with this body before. It is kept as long as callbacks are, for all processes. */
export async function claimToken(db: Queries, { accountId, token, digest }: CallbackToken): Promise<boolean> {
  const body = digest.subarray(0, uuidBytes).toString('hex')
  const [row] = await db.run(claim, [accountId, token, body])
  return row?.message_id?.replaceAll('-', '') === body
}

import type { readCodeMessages as contract } from '@notify/contracts'
import { anyOf } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'

/** The messages of several codes: the first one and those of resends. */
export const readCodeMessages: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const messages = await db.run(
    build
      .selectFrom('messages')
      .select(['transaction_id', 'notification_id'])
      .where('transaction_id', '=', anyOf(body.transaction_ids))
      .where('tenant_id', '=', body.tenant_id)
      .orderBy('created_at')
      .orderBy('notification_id'),
  )
  return { messages }
}

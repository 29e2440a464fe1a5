import { type findEvents as contract, mostFoundEvents } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { build } from '../../db/schema.ts'

/** The applications that have an event of this key. */
export const findEvents: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await db.run(
    build
      .selectFrom('events')
      .select('application_id')
      .where('tenant_id', '=', body.tenant_id)
      .where('event_key', '=', body.event_key)
      .orderBy('application_id')
      .limit(mostFoundEvents),
  )
  return { application_ids: rows.map(({ application_id }) => application_id) }
}

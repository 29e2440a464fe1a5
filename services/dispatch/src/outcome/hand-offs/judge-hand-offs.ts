import type { judgeHandOffs as contract } from '@notify/contracts'
import { column, defineStatement } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { optedOutBecause } from '../../catalogue/preferences/opted-out-because.ts'
import type { Context } from '../../context.ts'
import { tables } from '../../db/schema.ts'

const find = defineStatement({
  name: 'find-opted-out',
  text: `
    select n.id, ${optedOutBecause('n')} is not null as is_opted_out
    from unnest($1::text[]) as wanted (id) join notifications n using (id)`,
  columns: { id: tables.notifications.id, is_opted_out: column.boolean() },
})

/** Judges hand-offs that another service is about to deliver, as a claim judges what a sender is about to send. */
export const judgeHandOffs: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const found = await db.run(find, [body.notification_ids])
  const known = new Set(found.map(({ id }) => id))
  return {
    opted_out: found.filter(({ is_opted_out }) => is_opted_out).map(({ id }) => id),
    unknown: body.notification_ids.filter((id) => !known.has(id)),
  }
}

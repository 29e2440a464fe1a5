import type { judgeHandOffs as contract } from '@notify/contracts'
import { defineStatement } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { optedOutBecause } from '../../catalogue/preferences/opted-out-because.ts'
import type { Context } from '../../context.ts'
import { tables } from '../../db/schema.ts'

const find = defineStatement({
  name: 'find-opted-out',
  text: `select n.id from notifications n where n.id = any($1::text[]) and ${optedOutBecause('n')} is not null`,
  columns: { id: tables.notifications.id },
})

/** Judges hand-offs that another service is about to deliver, as a claim judges what a sender is about to send. */
export const judgeHandOffs: Handler<Context, typeof contract> = async ({ db }, { body }) => ({
  opted_out: (await db.run(find, [body.notification_ids])).map(({ id }) => id),
})

import type { cancelNotification as contract, Id, KeyPrincipal } from '@notify/contracts'
import { defineStatement, idempotent, pick, type Run } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { build, tables } from '../../db/schema.ts'
import { factsInto } from '../facts/fact-sql.ts'

const cancel = defineStatement({
  name: 'cancel-notification',
  text: `
    with cancelled as (
      update notifications
      set status = 'cancelled', revision = revision + 1, next_attempt_at = null, updated_at = now()
      where id = $1 and application_id = $2 and mode = $3 and status = 'scheduled'
      returning *
    ), facts as (${factsInto('cancelled')})
    select updated_at from cancelled`,
  columns: pick(tables.notifications, 'updated_at'),
})

/** Cancels a scheduled notification; the row lock decides the race with the scheduler. */
export const cancelNotification: Handler<Context, typeof contract> = idempotent({
  effect: (_context, { params, principal }, run) => cancelScheduled(run, params.notification_id, principal),
  after: (context) => context.wakeOutbox(),
})

async function cancelScheduled(run: Run, id: Id<'notif'>, caller: KeyPrincipal): Promise<Reply> {
  const [cancelled] = await run(cancel, [id, caller.application_id, caller.mode])
  if (!cancelled) throw await refusal(run, id, caller)
  const body = { notification_id: id, delivery_status: 'cancelled', cancelled_at: cancelled.updated_at.toISOString() }
  return new Reply(200, JSON.stringify(body))
}

async function refusal(run: Run, id: Id<'notif'>, { application_id, mode }: KeyPrincipal): Promise<Problem> {
  const [found] = await run(
    build
      .selectFrom('notifications')
      .select('status')
      .where('id', '=', id)
      .where('application_id', '=', application_id)
      .where('mode', '=', mode),
  )
  if (!found) return new Problem('not_found', 'No notification of this application has this id')
  return new Problem('not_cancellable', `Only scheduled notifications can be cancelled; this one is ${found.status}`)
}

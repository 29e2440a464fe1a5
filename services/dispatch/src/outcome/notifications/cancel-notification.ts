import type { cancelNotification as contract, KeyPrincipal } from '@notify/contracts'
import { idempotent, type Run } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { factsInto } from '../facts/fact-sql.ts'

const cancel = `
  with cancelled as (
    update notifications
    set status = 'cancelled', revision = revision + 1, next_attempt_at = null, updated_at = now()
    where id = $1 and application_id = $2 and mode = $3 and status = 'scheduled'
    returning *
  ), facts as (${factsInto('cancelled')})
  select updated_at from cancelled`

/** Cancels a scheduled notification; the row lock decides the race with the scheduler. */
export const cancelNotification: Handler<Context, typeof contract> = idempotent({
  effect: (_context, { params, principal }, run) => cancelScheduled(run, params.notification_id, principal),
  after: (context) => context.wakeOutbox(),
})

async function cancelScheduled(run: Run, id: string, caller: KeyPrincipal): Promise<Reply> {
  const [cancelled] = await run<{ updated_at: Date }>(cancel, [id, caller.application_id, caller.mode])
  if (!cancelled) throw await refusal(run, id, caller)
  const body = { notification_id: id, delivery_status: 'cancelled', cancelled_at: cancelled.updated_at.toISOString() }
  return new Reply(200, JSON.stringify(body))
}

async function refusal(run: Run, id: string, { application_id, mode }: KeyPrincipal): Promise<Problem> {
  const [found] = await run<{ status: string }>(
    'select status from notifications where id = $1 and application_id = $2 and mode = $3',
    [id, application_id, mode],
  )
  if (!found) return new Problem('not_found', 'No notification of this application has this id')
  return new Problem('not_cancellable', `Only scheduled notifications can be cancelled; this one is ${found.status}`)
}

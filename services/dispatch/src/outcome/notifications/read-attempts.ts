import type { readAttempts as contract } from '@notify/contracts'
import { type Handler, isTraceparent } from '@notify/service-kit'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../db/schema.ts'
import { attemptOf } from './attempt-of.ts'

type AttemptRow = Selectable<Tables['attempts']> & { provider_name: string | null }

/** The attempts of notifications of a tenant, of every lane, in the order of the request. */
export const readAttempts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const found = await db.run<{ id: string; traceparent: string | null }>(
    'select id, traceparent from notifications where id = any ($1) and tenant_id = $2',
    [body.notification_ids, body.tenant_id],
  )
  const attempts = await db.run<AttemptRow>(
    `select a.*, p.name as provider_name from attempts a left join providers p on p.id = a.provider_id
     where a.notification_id = any ($1) order by a.notification_id, a.number`,
    [found.map(({ id }) => id)],
  )
  const traces = new Map(found.map(({ id, traceparent }) => [id, traceIdOf(traceparent)]))
  return {
    notifications: body.notification_ids
      .filter((id) => traces.has(id))
      .map((notification_id) => ({
        notification_id,
        trace_id: traces.get(notification_id) ?? null,
        attempts: attempts
          .filter((attempt) => attempt.notification_id === notification_id)
          .map((attempt) => ({ ...attemptOf(attempt), provider_name: attempt.provider_name })),
      })),
  }
}

/** The second part of a traceparent (W3C Trace Context, 3.2.2). */
function traceIdOf(traceparent: string | null): string | null {
  return traceparent !== null && isTraceparent(traceparent) ? traceparent.split('-')[1]! : null
}

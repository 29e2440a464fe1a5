import type { readAttempts as contract } from '@notify/contracts'
import { anyOf, cast, column } from '@notify/database'
import { type Handler, isTraceparent } from '@notify/service-kit'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { build } from '../../db/schema.ts'
import { attemptOf } from './attempt-of.ts'
import { isRetryable } from './retryable-sql.ts'

/** The attempts of notifications of a tenant, of every lane, in the order of the request. */
export const readAttempts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const found = await db.run(
    build
      .selectFrom('notifications as n')
      .select(['id', 'traceparent'])
      .select(cast(column.boolean(), sql.raw(isRetryable('n'))).as('retryable'))
      .where('id', '=', anyOf(body.notification_ids))
      .where('tenant_id', '=', body.tenant_id),
  )
  const attempts = await db.run(
    build
      .selectFrom('attempts as a')
      .leftJoin('providers as p', 'p.id', 'a.provider_id')
      .selectAll('a')
      .select('p.name as provider_name')
      .where('a.notification_id', '=', anyOf(found.map(({ id }) => id)))
      .orderBy('a.notification_id')
      .orderBy('a.number'),
  )
  const known = new Map(found.map((row) => [row.id, row]))
  return {
    notifications: body.notification_ids
      .flatMap((id) => known.get(id) ?? [])
      .map(({ id, traceparent, retryable }) => ({
        notification_id: id,
        trace_id: traceIdOf(traceparent),
        retryable,
        attempts: attempts
          .filter((attempt) => attempt.notification_id === id)
          .map((attempt) => ({ ...attemptOf(attempt), provider_name: attempt.provider_name })),
      })),
  }
}

/** The second part of a traceparent (W3C Trace Context, 3.2.2). */
function traceIdOf(traceparent: string | null): string | null {
  return traceparent !== null && isTraceparent(traceparent) ? traceparent.split('-')[1]! : null
}

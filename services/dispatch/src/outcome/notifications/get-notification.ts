import type { getNotification as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../db/schema.ts'
import { attemptOf } from './attempt-of.ts'
import { readMetadata } from './metadata.ts'

/** A notification and its attempts, for keys of its application and mode. */
export const getNotification: Handler<Context, typeof contract> = async ({ db, secrets }, { params, principal }) => {
  const [found] = await db.run<Selectable<Tables['notifications']>>(
    'select * from notifications where id = $1 and application_id = $2 and mode = $3',
    [params.notification_id, principal.application_id, principal.mode],
  )
  if (!found) throw new Problem('not_found', 'No notification of this application has this id')
  const attempts = await db.run<Selectable<Tables['attempts']>>(
    'select * from attempts where notification_id = $1 order by number',
    [found.id],
  )
  return {
    notification_id: found.id as `notif_${string}`,
    channel: found.channel,
    event_key: found.event_key,
    delivery_status: found.status,
    recipient_masked: found.recipient_masked,
    failure_reason: found.failure_reason,
    retryable: found.retryable,
    retry_count: found.retry_count,
    credits: found.credits,
    metadata: readMetadata(secrets.keyRing, found),
    send_at: found.send_at?.toISOString() ?? null,
    created_at: found.created_at.toISOString(),
    updated_at: found.updated_at.toISOString(),
    read_at: firstRead(attempts)?.toISOString() ?? null,
    attempts: attempts.map(attemptOf),
  }
}

function firstRead(attempts: readonly { read_at: Date | null }[]): Date | undefined {
  return attempts.flatMap(({ read_at }) => read_at ?? []).sort((a, b) => a.getTime() - b.getTime())[0]
}

import type { getNotification as contract, Id, KeyPrincipal } from '@notify/contracts'
import { cast, column, prepared } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { build } from '../../db/schema.ts'
import { attemptOf } from './attempt-of.ts'
import { readMetadata } from './metadata.ts'
import { isRetryable } from './retryable-sql.ts'

type OwnNotification = Pick<KeyPrincipal, 'application_id' | 'mode'> & { id: Id<'notif'> }

const find = prepared('find-notification', ({ id, application_id, mode }: OwnNotification) =>
  build
    .selectFrom('notifications as n')
    .select(['id', 'tenant_id', 'channel', 'event_key', 'status', 'recipient_masked', 'failure_reason'])
    .select(cast(column.boolean(), sql.raw(isRetryable('n'))).as('retryable'))
    .select([
      'retry_count',
      'credits',
      'digest_id',
      'metadata',
      'send_at',
      'expires_at',
      'created_at',
      'updated_at',
      'locale',
      'requested_locale',
    ])
    .where('id', '=', id)
    .where('application_id', '=', application_id)
    .where('mode', '=', mode),
)

const attemptsOf = prepared('find-attempts', ({ id }: { id: Id<'notif'> }) =>
  build
    .selectFrom('attempts')
    .select(['notification_id', 'number', 'id', 'provider_id', 'started_at', 'lease_until', 'finished_at', 'outcome'])
    .select(['ambiguous', 'provider_code', 'provider_message', 'provider_message_id', 'read_at'])
    .where('notification_id', '=', id)
    .orderBy('number'),
)

const copiesOf = prepared('find-copies', ({ id }: { id: Id<'notif'> }) =>
  build
    .selectFrom('copies')
    .select(['field', 'recipient_masked', 'suppressed', 'refused'])
    .where('notification_id', '=', id)
    .orderBy('position'),
)

/** A notification and its attempts, for keys of its application and mode. */
export const getNotification: Handler<Context, typeof contract> = async (
  { channels, db, secrets },
  { params, principal },
) => {
  const { application_id, mode } = principal
  const [found] = await db.run(find({ id: params.notification_id, application_id, mode }))
  if (!found) throw new Problem('not_found', 'No notification of this application has this id')
  const attempts = await db.run(attemptsOf({ id: found.id }))
  const copies = channels[found.channel]?.copies ? await db.run(copiesOf({ id: found.id })) : []
  return {
    notification_id: found.id,
    channel: found.channel,
    event_key: found.event_key,
    delivery_status: found.status,
    recipient_masked: found.recipient_masked,
    failure_reason: found.failure_reason,
    retryable: found.retryable,
    retry_count: found.retry_count,
    credits: found.credits,
    digest_id: found.digest_id,
    locale: found.locale,
    requested_locale: found.requested_locale,
    metadata: readMetadata(secrets.keyRing, found),
    send_at: found.send_at?.toISOString() ?? null,
    expires_at: found.expires_at?.toISOString() ?? null,
    created_at: found.created_at.toISOString(),
    updated_at: found.updated_at.toISOString(),
    ...(copies.length > 0 && { copies }),
    read_at: firstRead(attempts)?.toISOString() ?? null,
    attempts: attempts.map(attemptOf),
  }
}

function firstRead(attempts: readonly { read_at: Date | null }[]): Date | undefined {
  return attempts.flatMap(({ read_at }) => read_at ?? []).sort((a, b) => a.getTime() - b.getTime())[0]
}

import { optedOutReason } from '@notify/contracts'
import { column, defineStatements, pick, type Queries } from '@notify/database'
import { optedOutBecause } from '../../catalogue/preferences/opted-out-because.ts'
import { fileBytesSql } from '../../channels/attachment-column.ts'
import type { Channels } from '../../channels/channel.ts'
import { channels as registry } from '../../channels/registry.ts'
import { tables } from '../../db/schema.ts'
import {
  calledOffReason,
  endOfExpired,
  expiredReason,
  hasExpired,
  isCalledOff,
} from '../../outcome/facts/expiry-sql.ts'
import { factsInto } from '../../outcome/facts/fact-sql.ts'
import { handOffBytesSql, mostHandOffBytes, workQueries } from '../../outcome/hand-offs/work-sql.ts'
import { askSql, silentSql, withAttempts } from '../../outcome/inquiries/inquiry-sql.ts'
import { fittingSql, lockDueSql, mostErasedBytes } from './open-sql.ts'

/** One worker at a time: two that skip each other's rows would hand over the messages to one inbox in another order. */
const isMyTurn = `(select pg_try_advisory_xact_lock(hashtextextended('due messages of ' || current_schema(), 0)))`

/** A trigger erases the files of expired ones. With this weight they fit into the limit of hand-offs. */
const erasedBytes = `case when ${hasExpired('n')} then ${fileBytesSql('n')} / ${mostErasedBytes / mostHandOffBytes} else 0 end`

const dueSql = (channels: Channels) =>
  fittingSql(
    lockDueSql('next_attempt_at', {
      where: `f.status in ('queued', 'scheduled') and ${isMyTurn}`,
      still: `n.status in ('queued', 'scheduled') and not n.sending`,
      bytes: `${handOffBytesSql(channels, 'n')} + ${erasedBytes}`,
    }),
    '$1',
  )

const takeDue = defineStatements(
  (channels: Channels) => ({
    name: 'take-due',
    text: `
    with taken as (
      update notifications n
      set next_attempt_at = null, when_due = 'send', enqueued_at = now(), updated_at = now(),
          status = case when n.when_due = 'give_up' then 'failed' when judged.called_off then 'cancelled' when judged.expired then ${endOfExpired('n')}
            when judged.opted_out then 'cancelled' else 'queued' end,
          retryable = n.when_due = 'give_up',
          failure_reason = case when judged.called_off then '${calledOffReason}' when n.when_due = 'send' and judged.expired then '${expiredReason}'
            when judged.opted_out then '${optedOutReason}' else n.failure_reason end,
          revision = n.revision
            + case when n.when_due = 'give_up' or n.status = 'scheduled' or judged.expired or judged.opted_out or judged.called_off then 1 else 0 end
      from (
        select n.id, ${hasExpired('n')} as expired, n.when_due = 'send' and ${optedOutBecause('n')} is not null as opted_out,
          n.when_due = 'send' and ${isCalledOff('n')} as called_off
        from notifications n where n.id = any (array(${dueSql(channels)}))
      ) judged where n.id = judged.id
      returning n.*, old.status as old_status
    ), ${workQueries(channels, `taken where status = 'queued'`)},
    -- A receipt that the bus has lost may settle what is given up, or is sent again.
    asked as (
      ${askSql(`(${silentSql(`${withAttempts('taken')} where taken.attempt_count > 0 and a.outcome = 'unknown'`)}) as silent`)}
    ),
    facts as (${factsInto('taken where status <> old_status')})
    select lane, channel, tenant_id, application_id, mode, count(*)::int as count from taken group by 1, 2, 3, 4, 5`,
    columns: {
      ...pick(tables.notifications, 'lane', 'channel', 'tenant_id', 'application_id', 'mode'),
      count: column.integer(),
    },
  }),
  registry,
)

/**
 * Queues due messages, scheduled and retried ones, and ends those that expired or that the recipient switched off. Also ends
 * unsettled unknown outcomes. Tenants and lanes share a batch. @returns how many, by queue
 */
export function takeDueNotifications(db: Queries, channels: Channels, mostBytes = mostHandOffBytes) {
  return db.run(takeDue(channels), [mostBytes])
}

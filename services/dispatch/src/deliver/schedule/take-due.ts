import { column, defineStatements, pick, type Queries } from '@notify/database'
import { optedOutBecause, optedOutReason } from '../../catalogue/preferences/opted-out-because.ts'
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
import { workQueries } from '../../outcome/hand-offs/work-sql.ts'
import { askSql, silentSql, withAttempts } from '../../outcome/inquiries/inquiry-sql.ts'
import { lockOpenSql, scheduleBatch } from './open-sql.ts'

/** So that a campaign that is due at one moment delays no other tenant's messages. */
const perTenant = 100

/** Locks the longest due messages of every tenant that has some. */
const due = `
  select mine.id from (select tenant_id from tenants where tenant_id is not null order by random()) as drawn
  cross join lateral (${lockOpenSql({
    where: `f.tenant_id = drawn.tenant_id and f.next_attempt_at <= now() and f.status in ('queued', 'scheduled')`,
    orderBy: 'f.next_attempt_at',
    still: `n.next_attempt_at <= now() and n.status in ('queued', 'scheduled') and not n.sending`,
    limit: perTenant,
  })}) as mine limit ${scheduleBatch}`

const takeDue = defineStatements(
  (channels: Channels) => ({
    name: 'take-due',
    text: `
    with recursive tenants as (
      (select tenant_id from in_flight where next_attempt_at is not null order by tenant_id limit 1)
      union all
      select (select f.tenant_id from in_flight f where f.tenant_id > tenants.tenant_id and f.next_attempt_at is not null
        order by f.tenant_id limit 1)
      from tenants where tenants.tenant_id is not null
    ), taken as (
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
        from notifications n where n.id = any (array(${due}))
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

/** Queues due messages, both scheduled and retried, releases claims that nobody settled, and ends what expired or was switched off. @returns how many, by queue */
export function takeDueNotifications(db: Queries, channels: Channels) {
  return db.run(takeDue(channels))
}

/**
 * Notifications and their attempts. A notification is updated a few times soon after it is inserted: with room in its page, and no
 * index over its state, these updates write no index.
 */
export const notificationTables = [
  `create table notifications (
     id text primary key,
     tenant_id text not null,
     application_id text not null,
     channel text not null,
     lane text not null,
     mode text not null,
     event_key text,
     topic text,
     recipient_masked text not null,
     recipient_index text not null,
     user_index text,
     broadcast_id text,
     digest_id text,
     payload bytea,
     metadata bytea,
     credits smallint not null,
     category text,
     country_prefix text,
     segments smallint,
     traceparent text,
     locale text,
     requested_locale text,
     send_at timestamptz,
     expires_at timestamptz,
     erase_when_terminal boolean not null default false,
     created_at timestamptz not null default date_trunc('milliseconds', now()),
     -- What updates change comes last: Postgres logs a new version from the first byte that differs.
     status text not null default 'queued',
     revision int not null default 1,
     failure_reason text,
     retryable boolean not null default false,
     retry_count int not null default 0,
     attempt_count int not null default 0,
     round_attempts smallint not null default 0,
     sending boolean not null default false,
     next_attempt_at timestamptz,
     when_due text not null default 'send' check (when_due in ('send', 'give_up')),
     failovers smallint not null default 0,
     held_since timestamptz,
     receipt_overdue boolean not null default false,
     -- Whether nothing more is expected. Generated, so that no statement can forget it.
     settled boolean not null generated always as
       (status in ('delivered', 'undelivered', 'failed', 'cancelled') or receipt_overdue) stored,
     enqueued_at timestamptz not null default now(),
     updated_at timestamptz not null default now()
   ) with (fillfactor = 55, autovacuum_vacuum_scale_factor = 0.05)`,
  // Read only when a person is erased; a hash keeps the entries short.
  `create index notifications_by_recipient on notifications ((hashtextextended(recipient_index, 0)))`,
  `create index notifications_by_user on notifications ((hashtextextended(user_index, 0))) where user_index is not null`,
  `create index notifications_of_digest on notifications (digest_id, id) where digest_id is not null`,
  // People ask about the last hours (docs/night.md). BRIN finds the newest rows only, and costs their insertion nearly nothing.
  `create index notifications_created_at on notifications using brin (created_at) with (autosummarize = on)`,
  `create function erase_payload() returns trigger language plpgsql as $$
     begin
       new.payload := null;
       new.retryable := false;
       return new;
     end $$`,
  // A trigger, so that no statement can forget it. After this only an operator's retry could send the message again.
  `create trigger erase_payload before update on notifications for each row
     when (new.status not in ('queued', 'scheduled')
       and (new.erase_when_terminal or new.expires_at <= now() or new.payload is null)
       and (new.payload is not null or new.retryable))
     execute function erase_payload()`,
  `create table attempts (
     notification_id text not null,
     number int not null,
     id text not null,
     provider_id text,
     started_at timestamptz not null default now(),
     lease_until timestamptz not null,
     finished_at timestamptz,
     outcome text,
     ambiguous boolean not null default false,
     -- The first attempt of those that a carrier takes for one: its id is their key, and named in all reports.
     repeats text,
     provider_code text,
     provider_message text,
     provider_message_id text,
     read_at timestamptz,
     primary key (notification_id, number)
   ) with (fillfactor = 80)`,
  `create index attempts_under_way on attempts (lease_until) where finished_at is null`,
  // Leads from the carrier's own id to an attempt, within an account. A hash keeps the entries short.
  `create index attempts_by_carrier_id on attempts (hashtextextended(provider_id || ' ' || provider_message_id, 0))
     where provider_message_id is not null`,
  `create index attempts_started_at on attempts using brin (started_at) with (autosummarize = on)`,
  // The latest hand-off to each recipient of a channel that keeps their order: the next one names it.
  `create table hand_off_tails (
     recipient_index text collate "C" not null,
     application_id text collate "C" not null,
     mode text collate "C" not null,
     lane text collate "C" not null,
     channel text collate "C" not null,
     last_id text not null,
     placed_at timestamptz not null default now(),
     primary key (recipient_index, application_id, mode, lane, channel)
   ) with (fillfactor = 50)`,
]

import type { Migration } from '@notify/database'

/** A trigger, so that no statement can forget it, of this release or of the one before. */
export const expiry: Migration = {
  name: '0002-expiry',
  transaction: [
    `alter table notifications
       add column expires_at timestamptz,
       add column erase_when_terminal boolean not null default false`,
    `create function erase_payload() returns trigger language plpgsql as $$
       begin
         new.payload := null;
         new.retryable := false;
         return new;
       end $$`,
    // Once a carrier took it, or it failed, it is sent again only when an operator asks for it.
    `create trigger erase_payload before update on notifications for each row
       when (new.status not in ('queued', 'scheduled') and (new.erase_when_terminal or new.expires_at <= now())
         and (new.payload is not null or new.retryable))
       execute function erase_payload()`,
  ],
}

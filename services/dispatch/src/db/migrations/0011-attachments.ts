import type { Migration } from '@notify/database'

/** The files of emails, apart from the row that is updated: written once, read when the message is sent. */
export const attachments: Migration = {
  name: '0011-attachments',
  transaction: [
    `create table attachments (
       id text primary key,
       tenant_id text not null,
       content bytea not null
     )`,
    // Encrypted bytes cannot be compressed.
    `alter table attachments alter column content set storage external`,
    `create function erase_attachments() returns trigger language plpgsql set search_path from current as $$
       begin
         delete from attachments where id = new.id;
         return null;
       end $$`,
    // A trigger, so that no statement that erases a payload can forget its files.
    `create trigger erase_attachments after update on notifications for each row
       when (old.payload is not null and new.payload is null) execute function erase_attachments()`,
  ],
}

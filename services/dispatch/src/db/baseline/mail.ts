/** What an email has beside its notification: other recipients, and files. */
export const mailTables = [
  // Found before the message is sent, and when a person is erased.
  `create table copies (
     notification_id text not null,
     recipient_index text not null,
     position smallint not null,
     field text not null,
     recipient_masked text not null,
     -- By which receipts name it.
     mark text not null,
     suppressed text,
     refused text,
     primary key (notification_id, recipient_index)
   )`,
  `create index copies_by_recipient on copies ((hashtextextended(recipient_index, 0)))`,
  // Apart from the row that is updated: files are written once, and read when the message is sent.
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
]

import type { Migration } from '@notify/database'

/** The other recipients of emails: they are looked up before the message is sent, and when a person is erased. */
export const copies: Migration = {
  name: '0010-copies',
  transaction: [
    `create table copies (
       notification_id text not null,
       recipient_index text not null,
       position smallint not null,
       field text not null,
       recipient_masked text not null,
       -- By which receipts name it.
       mark text not null,
       suppressed text,
       primary key (notification_id, recipient_index)
     )`,
    `create index copies_by_recipient on copies ((hashtextextended(recipient_index, 0)))`,
  ],
}

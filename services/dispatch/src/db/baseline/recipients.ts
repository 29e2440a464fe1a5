/** The users of applications, with what a send by user id is addressed to. Only the indexes of addresses are readable. */
export const recipientTables = [
  `create table recipients (
     -- Application, mode and the index of the user id.
     id text collate "C" primary key,
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     user_index text not null,
     email_index text,
     phone_index text,
     content bytea not null,
     has_quiet_hours boolean not null,
     created_at timestamptz not null default date_trunc('milliseconds', now()),
     updated_at timestamptz not null default date_trunc('milliseconds', now())
   )`,
  // For the erasure of a person, who is known by any of them.
  `create index recipients_by_user on recipients (user_index)`,
  `create index recipients_by_email on recipients (email_index) where email_index is not null`,
  `create index recipients_by_phone on recipients (phone_index) where phone_index is not null`,
]

import type { Migration } from '@notify/database'

export const applicationSettings: Migration = {
  name: '0003-application-settings',
  transaction: [
    `alter table applications
       add column otp jsonb not null default '{}',
       add column revision int not null default 0,
       add column managed boolean not null default false,
       add column deleted_at timestamptz,
       add column updated_at timestamptz`,
  ],
}

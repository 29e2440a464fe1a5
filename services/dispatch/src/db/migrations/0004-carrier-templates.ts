import type { Migration } from '@notify/database'

export const carrierTemplates: Migration = {
  name: '0004-carrier-templates',
  transaction: [
    `create table carrier_templates (
         provider_id text not null,
         tenant_id text not null,
         name text not null,
         language text not null,
         status text not null,
         category text not null,
         quality text,
         reported_at timestamptz not null,
         primary key (provider_id, name, language)
       )`,
    `create index carrier_templates_tenant on carrier_templates (tenant_id, provider_id, name, language)`,
    `create table carrier_template_syncs (
         provider_id text primary key,
         revision int not null,
         next_sync_at timestamptz,
         synced_at timestamptz,
         failures smallint not null default 0,
         error text
       )`,
    `create index carrier_template_syncs_due on carrier_template_syncs (next_sync_at)`,
  ],
}

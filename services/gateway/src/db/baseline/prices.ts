/** What a tenant pays its carriers for a message, in millionths of its currency. */
export const priceTables = [
  `create table prices (
     tenant_id text not null,
     channel text not null,
     country_prefix text not null,
     category text not null,
     micros bigint not null check (micros >= 0),
     currency text not null,
     primary key (tenant_id, channel, country_prefix, category)
   )`,
]

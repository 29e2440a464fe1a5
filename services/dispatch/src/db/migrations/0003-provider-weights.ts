import type { Migration } from '@notify/database'

/** Providers of equal priority share the messages by weight. */
export const providerWeights: Migration = {
  name: '0003-provider-weights',
  transaction: [`alter table providers add column weight int not null default 100`],
}

import type { Migration } from '@notify/database'

export const subscriptionProviders: Migration = {
  name: '0010-subscription-providers',
  transaction: [`alter table providers add column subscription_id text, add column subscription_version int`],
}

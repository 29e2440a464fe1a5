import type { Migration } from '@notify/database'

/** Leads from the carrier's own id to an attempt, within an account. A hash keeps the entries short. */
export const carrierIds: Migration = {
  name: '0004-carrier-ids',
  index: {
    name: 'attempts_by_carrier_id',
    on: `on attempts (hashtextextended(provider_id || ' ' || provider_message_id, 0)) where provider_message_id is not null`,
  },
}

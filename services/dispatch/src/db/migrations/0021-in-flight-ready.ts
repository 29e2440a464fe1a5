import type { Migration } from '@notify/database'

/** Leads to the oldest message of each application, and from one application to the next. */
export const inFlightReady: Migration = {
  name: '0021-in-flight-ready',
  index: {
    name: 'in_flight_ready',
    on: `on in_flight (lane, channel, application_id, mode, enqueued_at) where status = 'queued'`,
  },
}

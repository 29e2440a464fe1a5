import { z } from 'zod'

/** E.164: a plus sign, a country code without leading zero, 7 to 15 digits in all (ITU-T E.164). */
export const e164Pattern = /^\+[1-9]\d{6,14}$/

/** Keys such as `order.shipped`. */
export const EventKey = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/, 'must be 1 to 128 letters, digits, dots, dashes or underscores')
  .meta({ description: 'Key of a published event of the application', example: 'order.shipped' })

/** A time in an event, as Postgres writes it: ISO 8601 with offset. */
export const EventTime = z.iso.datetime({ offset: true })

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T09:30:00.000Z' })

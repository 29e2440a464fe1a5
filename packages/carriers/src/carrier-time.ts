import { z } from 'zod'

/** The last second of the year 9999: later times have no date of four digits for the year, and events with one are unreadable. */
const lastSecond = 253_402_300_799

/** A carrier's time in ISO 8601. An unreadable one counts as absent, so that the callback itself is not lost. */
export const IsoTime = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((time) => time.getTime() >= 0 && time.getTime() <= lastSecond * 1000)
  .optional()
  .catch(undefined)

/** The same in seconds since 1970, as a number or as text. Milliseconds count as absent, too. */
export const UnixTime = z.coerce
  .number()
  .int()
  .min(1)
  .max(lastSecond)
  .transform((seconds) => new Date(seconds * 1000))
  .optional()
  .catch(undefined)

/** The field of a report with the time that a carrier reported, if any. */
export const occurred = (occurredAt: Date | undefined): { occurredAt?: Date } => (occurredAt ? { occurredAt } : {})

import { z } from 'zod'

/** A carrier's time in ISO 8601. An unreadable one counts as absent, so that the callback itself is not lost. */
export const IsoTime = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .optional()
  .catch(undefined)

const maxUnixSeconds = 8.64e12

/** The same in seconds since 1970, as a number or as text. */
export const UnixTime = z.coerce
  .number()
  .int()
  .min(1)
  .max(maxUnixSeconds)
  .transform((seconds) => new Date(seconds * 1000))
  .optional()
  .catch(undefined)

/** The field of a report with the time that a carrier reported, if any. */
export const occurred = (occurredAt: Date | undefined): { occurredAt?: Date } => (occurredAt ? { occurredAt } : {})

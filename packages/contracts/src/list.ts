import { z } from 'zod'

/** A whole number as a query writes it; one out of its range is refused, not clamped. */
export const wholeNumber = (name: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `${name} must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `${name} must be at least ${min}`).max(max, `${name} must be at most ${max}`))

/** What every list takes. */
export const listQuery = {
  limit: wholeNumber('limit', 1, 100).default(20),
  cursor: z.string().max(200).optional().meta({ description: 'The next_cursor of an earlier answer' }),
}

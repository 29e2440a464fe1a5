import { z } from 'zod'

/** A whole number in a query string. A value out of range is refused, not clamped. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
    .meta({ type: 'integer', minimum: min, maximum: max })

/** Query parameters of every list. */
export const listQuery = {
  limit: wholeNumber(1, 100).default(20).meta({ description: 'Items per page' }),
  cursor: z.string().max(1000).optional().meta({ description: 'next_cursor of the previous page' }),
}

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() })

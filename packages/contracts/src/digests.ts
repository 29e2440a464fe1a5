import { z } from 'zod'
import { ClockTime } from './text.ts'

const daySeconds = 24 * 3600
/** The longest time from the first item of a digest to its close. */
const longestWait = 30 * daySeconds

export const Weekday = z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'])

const windows = ['seconds', 'daily', 'weekly'] as const

/** When a digest closes. */
export const DigestWindow = z
  .strictObject({
    seconds: z
      .int()
      .min(1)
      .max(7 * daySeconds)
      .optional()
      .meta({ description: 'After the first item', example: 3600 }),
    daily: ClockTime.optional().meta({ description: 'The next time that the clock shows it', example: '09:00' }),
    weekly: z.strictObject({ day: Weekday, at: ClockTime.meta({ example: '09:00' }) }).optional(),
  })
  .superRefine((window, issues) => {
    const given = windows.filter((one) => window[one] !== undefined)
    if (given.length === 1) return
    const [, second] = given
    const path = second === undefined ? [] : [second]
    const message = second === undefined ? 'must have seconds, daily or weekly' : `cannot be combined with ${given[0]}`
    issues.addIssue({ code: 'custom', path, message })
  })
export type DigestWindow = z.output<typeof DigestWindow>

/** Most items of a digest that its template gets. */
export const mostDigestItems = 100

/** How the messages of an event to one recipient are put together. */
export const Digest = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-zA-Z_]\w{0,63}$/, 'must be the name of a variable')
      .optional()
      .meta({ description: 'Variable of data: items with different values are in different digests', example: 'post' }),
    window: DigestWindow,
    sliding: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether each item begins the window again, up to `max_wait` after the first' }),
    max_wait: z
      .int()
      .min(1)
      .max(longestWait)
      .optional()
      .meta({ description: 'Seconds; required by `sliding`', example: 14400 }),
    first: z.enum(['now', 'wait']).default('wait').meta({
      description: '`now`: an item that comes outside of a window is sent at once and begins one',
    }),
    show: z
      .int()
      .min(1)
      .max(mostDigestItems)
      .default(10)
      .meta({ description: 'Most items that the template gets; `total` counts all', example: 10 }),
  })
  .superRefine(({ window, sliding, max_wait }, issues) => {
    const fault = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
    if (sliding && window.seconds === undefined) fault('sliding', 'requires a window of seconds')
    if (sliding && max_wait === undefined) fault('max_wait', 'is missing: a sliding window needs an end')
    if (!sliding && max_wait !== undefined) fault('max_wait', 'requires sliding')
    if (sliding && max_wait !== undefined && window.seconds !== undefined && max_wait < window.seconds)
      fault('max_wait', 'must be at least the seconds of the window')
  })
  .meta({ id: 'Digest' })
export type Digest = z.output<typeof Digest>

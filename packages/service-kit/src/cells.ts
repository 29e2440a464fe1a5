import { z } from 'zod'

/** Paths are appended to addresses. */
const withoutEndSlash = (url: string) => (url.endsWith('/') ? url.slice(0, -1) : url)

/** A variable with the public base URL of an installation. */
export const publicUrl = z.url().transform(withoutEndSlash)

const name = /^[a-z][a-z0-9]{0,15}$/

/** Variables of a service that knows which installation it belongs to. */
export const cellConfig = {
  CELL: z
    .string()
    .regex(name, 'must be 1 to 16 lower-case letters and digits, the first a letter')
    .optional()
    .describe('Name of this installation among several: new API keys and user tokens contain it'),
  CELLS: z
    .string()
    .default('')
    .transform((text, issues) => {
      const cells = new Map<string, string>()
      for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
        const [cell = '', ...rest] = entry.trim().split('=')
        const url = rest.join('=')
        if (name.test(cell) && /^https?:$/.test(URL.parse(url)?.protocol ?? '') && !cells.has(cell)) {
          cells.set(cell, withoutEndSlash(url))
        } else {
          issues.addIssue({
            code: 'custom',
            message: `must be name=https://host, comma separated, each name once; not ${entry}`,
          })
        }
      }
      return cells as ReadonlyMap<string, string>
    })
    .describe('Public addresses of all installations, `name=https://host`, comma separated'),
}

/** The public addresses of all installations, by name. */
export type Cells = ReadonlyMap<string, string>

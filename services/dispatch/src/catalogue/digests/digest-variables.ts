/** Variables of a template. */
export type Variables = Readonly<Record<string, unknown>>

/** Items of a digest, oldest first. */
export interface Digested {
  /** The data of some of the first ones. */
  items: readonly Variables[]
  /** Of all items. */
  total: number
  /** The most that the template gets. */
  show: number
}

/** The variables of a digest of three items with the same data, unless they are given. */
export const withSample = (data: Variables, { show }: { show: number }): Record<string, unknown> => ({
  ...digested({ items: Array.from({ length: 3 }, () => data), total: 3, show }),
  ...data,
})

/** The most characters of the items that a template gets, as JSON. */
const mostCharacters = 100_000

/** What the template of a digest gets beside the data of its newest item; see `digestNames`. */
export function digested({ items, total, show }: Digested): Variables {
  const shown: Variables[] = []
  let room = mostCharacters
  for (const item of items.slice(0, show)) {
    room -= JSON.stringify(item).length
    // The first one was rendered when it was accepted.
    if (room < 0 && shown.length > 0) break
    shown.push(item)
  }
  return { total, items: shown, more: total - shown.length }
}

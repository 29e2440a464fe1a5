import { useQuery } from '@tanstack/react-query'
import { pollEvery } from './connection.ts'
import { readAll } from './read-all.ts'

const pageSize = 100
const wholePollMs = 60_000
/** A search covers this many items from the beginning of the list. */
export const mostSearched = 1000

interface SearchableList<Item> {
  key: readonly unknown[]
  /** The text that an item must contain, in upper or lower case; empty for all. */
  find: string
  textOf: (item: Item) => string
  /** The cursor of the page that is shown without a search. */
  cursor: string | undefined
  pollMs: number
  read: (
    query: { limit: number; cursor?: string },
    signal: AbortSignal,
  ) => Promise<{ items: Item[]; next_cursor: string | null }>
}

/** A list without a search in its API: one of its pages, or the matches on all pages. */
export function useSearchableList<Item>({ key, find, textOf, cursor, pollMs, read }: SearchableList<Item>) {
  const wanted = find.toLowerCase()
  const isSearch = wanted !== ''
  return useQuery({
    queryKey: [...key, isSearch ? 'whole' : cursor],
    queryFn: async ({ signal }) => {
      if (!isSearch) {
        const page = await read({ limit: pageSize, ...(cursor ? { cursor } : {}) }, signal)
        return { ...page, isCut: false }
      }
      const { items, isCut } = await readAll(mostSearched, (next) => read({ limit: pageSize, ...next }, signal))
      return { items, next_cursor: null, isCut }
    },
    select: (list) => {
      const items = list.items.filter((item) => textOf(item).toLowerCase().includes(wanted))
      return isSearch ? { ...list, items } : list
    },
    refetchInterval: pollEvery(isSearch ? wholePollMs : pollMs),
    placeholderData: (previous) => previous,
  })
}

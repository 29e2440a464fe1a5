interface Page<Item> {
  items: readonly Item[]
  next_cursor: string | null
}

/** A whole list; `isCut` when it has more items than were read. */
export interface WholeList<Item> {
  items: Item[]
  isCut: boolean
}

/** Reads a list page by page, to its end or until there are `most` items. */
export async function readAll<Item>(
  most: number,
  read: (cursor: { cursor?: string }) => Promise<Page<Item>>,
): Promise<WholeList<Item>> {
  const items: Item[] = []
  let next: string | null = null
  do {
    const page: Page<Item> = await read(next === null ? {} : { cursor: next })
    items.push(...page.items)
    next = page.next_cursor
  } while (next !== null && items.length < most)
  return { items, isCut: next !== null }
}

import type { FetchOptions } from 'openapi-fetch'
import type { paths } from './api-types.ts'

type Page = { items: readonly unknown[] } | { notifications: readonly unknown[] }
type PageOf<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body extends Page & { next_cursor: string | null }
    ? Body
    : never
  : never
/** Paths that answer a page and the cursor of the next one. */
type ListPath = { [P in keyof paths]: [PageOf<P>] extends [never] ? never : P }[keyof paths]
type ItemOf<Body> = Body extends { items: readonly (infer Item)[] }
  ? Item
  : Body extends { notifications: readonly (infer Item)[] }
    ? Item
    : never
type Query<P extends ListPath> = FetchOptions<paths[P]['get']>
type Arguments<I> = object extends I ? [init?: I] : [init: I]

export interface Lists {
  /**
   * Every item of a list, page by page as they are needed. `limit` is the size of a page; leave the loop to stop.
   * @example for await (const item of notify.list('/api/v1/activity', { params: { query: { channel: 'sms' } } })) …
   */
  list<P extends ListPath>(path: P, ...init: Arguments<Query<P>>): AsyncGenerator<ItemOf<PageOf<P>>, void, void>
  /** Every page of a list, with its counts. */
  pages<P extends ListPath>(path: P, ...init: Arguments<Query<P>>): AsyncGenerator<PageOf<P>, void, void>
}

interface Init {
  params?: { query?: object }
}

export function listsOf(get: (path: string, init: object) => Promise<unknown>): Lists {
  async function* pages(path: string, init: Init = {}) {
    let cursor: string | null | undefined
    do {
      const query = { ...init.params?.query, ...(cursor ? { cursor } : {}) }
      const page = (await get(path, { ...init, params: { ...init.params, query } })) as Page & {
        next_cursor: string | null
      }
      yield page
      cursor = page.next_cursor
    } while (cursor)
  }
  async function* list(path: string, init?: Init) {
    for await (const page of pages(path, init)) yield* 'items' in page ? page.items : page.notifications
  }
  return { list, pages } as unknown as Lists
}

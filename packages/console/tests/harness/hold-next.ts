import type { Page, Route } from 'playwright-core'

/** Holds the next request to an address until the test answers it. */
export async function holdNext(page: Page, url: string): Promise<{ held: Promise<Route> }> {
  const { promise, resolve } = Promise.withResolvers<Route>()
  await page.route(url, resolve, { times: 1 })
  return { held: promise }
}

/** The answer of a service that refuses. */
export const refusal = (status: number) => ({ status, json: { title: 'Refused', detail: `refused with ${status}` } })

import type { Page, Route } from 'playwright-core'

/** Holds the next request of a method to an address until the test answers it. */
export async function holdNext(page: Page, method: string, url: string): Promise<{ held: Promise<Route> }> {
  const { promise, resolve } = Promise.withResolvers<Route>()
  let isHeld = false
  await page.route(url, (route) => {
    if (isHeld || route.request().method() !== method) return route.fallback()
    isHeld = true
    resolve(route)
  })
  return { held: promise }
}

/** The answer of a service that refuses. */
export const refusal = (status: number) => ({ status, json: { title: 'Refused', detail: `refused with ${status}` } })

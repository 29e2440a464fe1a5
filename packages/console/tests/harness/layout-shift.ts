import type { Page } from 'playwright-core'

/** The cumulative layout shift of a page since it was loaded, without what follows from input. */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          // @ts-expect-error the types of the browser lack this entry
          for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value
        }).observe({ type: 'layout-shift', buffered: true })
        // Entries of before are delivered in a task of their own.
        setTimeout(() => resolve(sum), 50)
      }),
  )

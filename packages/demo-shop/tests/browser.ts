import { patienceMs, requireBinary } from '@notify/dev-env'
import axe from 'axe-core'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** The machine's Chromium. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: requireBinary('chromium'),
    timeout: patienceMs,
    // Root may not use Chromium's sandbox; small containers have a small /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}

/** Requests of all pages of a context to a path of the API that were not refused: those come again. */
export function countRequests(context: BrowserContext, path: string): () => number {
  let count = 0
  context.on('response', (response) => {
    const isOurs = response.request().method() !== 'OPTIONS' && new URL(response.url()).pathname === path
    if (isOurs && response.ok()) count += 1
  })
  return () => count
}

/** A browser of its own, as another person has it; errors of its pages fail the test that asks for them. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(patienceMs)
  const errors: string[] = []
  context.on('weberror', (error) => errors.push(String(error.error())))
  return { context, errors }
}

/** Opens the demo page of a user and waits until its inbox is loaded. */
export async function openInbox(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.getByTestId('status').filter({ hasText: 'live' }).waitFor()
  return page
}

/** What axe (WCAG 2.2 AA and best practices) finds on the page. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    // @ts-expect-error axe is a global of the page
    const { violations: found } = await globalThis.axe.run()
    return found.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`)
  })
}

import type { Page } from 'playwright-core'

/** Makes the API and the issuer refuse the tokens that the console holds, so that the next call leads to a login. */
export async function expireSession(page: Page): Promise<void> {
  const refuse = { status: 401, contentType: 'application/problem+json', body: '{"code":"unauthenticated"}' }
  // Not for a poll, which may come before the call.
  await page.route('**/api/v1/**', (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill(refuse),
  )
  await page.route('**/token', (route) => route.fulfill({ ...refuse, status: 400, body: '{"error":"invalid_grant"}' }))
  await page.context().clearCookies()
  page.once('framenavigated', () => void page.unrouteAll({ behavior: 'ignoreErrors' }))
}

import type { Page } from 'playwright-core'
import type { ConsoleHarness } from './console.ts'

/** An operator with all permissions but one. */
export async function signInWithout(harness: ConsoleHarness, permission: string, path: string): Promise<Page> {
  const visitor = await harness.visit()
  await visitor.context.route('**/api/v1/me', async (route) => {
    const response = await route.fetch()
    if (!response.ok()) return route.fulfill({ response })
    const me = await response.json()
    const permissions = me.permissions.filter((name: string) => name !== permission)
    await route.fulfill({ response, json: { ...me, permissions } })
  })
  return harness.logIn({ path, visitor })
}

import { column, defineStatement, type Run } from '@notify/database'
import { asJson, type Held } from './renew-endpoints.ts'

const release = defineStatement({
  name: 'release-endpoints',
  text: 'select release_endpoints($1) as released',
  columns: { released: column.void() },
})

/**
 * Releases endpoints whose lease is still the caller's. They are locked first: deliveries stored before are seen, and those
 * stored afterwards make the endpoint due again.
 */
export async function releaseEndpoints(run: Run, held: readonly Held[]): Promise<void> {
  await run(release, [asJson(held)])
}

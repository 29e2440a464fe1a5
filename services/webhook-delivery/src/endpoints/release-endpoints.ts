import { column, defineStatement, type Run } from '@notify/database'
import { asJson, type Held } from './renew-endpoints.ts'

const release = defineStatement({
  name: 'release-endpoints',
  text: 'select release_endpoints($1) as released',
  columns: { released: column.void() },
})

/**
 * Gives endpoints back whose lease is still the caller's. They are locked first: what others stored before is seen, and what they
 * store afterwards makes the endpoint due again.
 */
export async function releaseEndpoints(run: Run, held: readonly Held[]): Promise<void> {
  await run(release, [asJson(held)])
}

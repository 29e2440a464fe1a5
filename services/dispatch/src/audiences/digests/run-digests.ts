import type { OnCommit } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'
import { type ClosingContext, closeDigests } from './close-digests.ts'
import { claimDigests, nextDigestInMs } from './due-store.ts'
import { groupsOf } from './groups-of-tenants.ts'

/** Digests of a claim. */
const batch = 100
/** For what a lost wake-up left. */
const everyMs = 5000

/** Closes digests when they are due. Safe in any number of replicas; those of a worker that died are due again when its lease ends. */
export function runDigests(kit: Kit, context: ClosingContext & { onCommit: OnCommit }): void {
  const { db, config, log } = context
  const digests = startPeriodic(kit, {
    name: 'digests',
    everyMs,
    atLeastMs: 250,
    async run() {
      const dueInMs = await nextDigestInMs(db)
      if (dueInMs > 0) return dueInMs
      const claimed = await claimDigests(db, batch, config.DIGEST_LEASE)
      for (const group of groupsOf(claimed))
        await closeDigests(context, group).catch((error: unknown) =>
          log.error(
            { err: error, tenant_id: group[0]!.tenant_id },
            'digests were not closed; they will be tried again',
          ),
        )
      return claimed.length > 0
    },
  })
  context.onCommit(() => digests.stir())
}

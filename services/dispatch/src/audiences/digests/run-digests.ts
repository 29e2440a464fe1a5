import type { OnCommit } from '@notify/database'
import { type Kit, startClaiming } from '@notify/service-kit'
import { type ClosingContext, closeDigests } from './close-digests.ts'
import { claimDigests, type DueDigest, nextDigestInMs } from './due-store.ts'
import { groupsOf } from './groups-of-tenants.ts'

/** Digests that a worker has in hand. */
const most = 100
/** For what a lost wake-up left. */
const everyMs = 5000

/**
 * Closes digests when they are due, those of different tenants beside each other: one that waits for consent or a template delays no
 * other. Safe in any number of replicas; those of a worker that died are due again when its lease ends.
 */
export function runDigests(kit: Kit, context: ClosingContext & { onCommit: OnCommit }): void {
  const { db, config, log } = context
  const digests = startClaiming<readonly DueDigest[]>(kit, {
    name: 'digests',
    everyMs,
    atLeastMs: 250,
    async claim(inHand) {
      const dueInMs = await nextDigestInMs(db)
      if (dueInMs > 0) return dueInMs
      return groupsOf(await claimDigests(db, most, config.DIGEST_LEASE, inHand.flat()))
    },
    work: (group) =>
      closeDigests(context, group).catch((error: unknown) =>
        log.error({ err: error, tenant_id: group[0]!.tenant_id }, 'digests were not closed; they will be tried again'),
      ),
  })
  context.onCommit(() => digests.stir())
}

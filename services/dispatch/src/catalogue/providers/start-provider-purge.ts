import { providerRemoved } from '@notify/contracts'
import { enqueueEvents } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { sealCredentials } from './provider-directory.ts'
import { claimPurges, purgeProvider } from './provider-store.ts'

const batch = 100

/** Erases the credentials of providers that were deleted long ago, here and where their callbacks are verified. */
export function startProviderPurge(
  kit: Kit,
  { db, config, secrets, wakeOutbox }: Pick<Context, 'config' | 'db' | 'secrets' | 'wakeOutbox'>,
): void {
  startPeriodic(kit, {
    name: 'provider purge',
    everyMs: 60_000,
    async run() {
      const purged = await db.transaction(async (run) => {
        const rows = await claimPurges(run, config.PROVIDER_RETENTION, batch)
        for (const { id, tenant_id } of rows)
          await purgeProvider(run, id, sealCredentials(secrets.keyRing, '{}', tenant_id, id))
        const events = rows.map(({ id, tenant_id, channel, kind, revision }) => ({
          event: { provider_id: id, tenant_id, channel, kind, revision: revision + 1 },
        }))
        if (events.length > 0) await enqueueEvents(run, providerRemoved, events)
        return rows.length
      })
      if (purged > 0) wakeOutbox()
      return purged === batch
    },
  })
}

import { readFile } from 'node:fs/promises'
import { BootstrapDocument } from '@notify/contracts'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { saveProvider } from '../providers/save-provider.ts'

/**
 * Upserts the initial events and providers; every replica may load the same file at every start.
 * @throws Error when the file cannot be read or does not match its schema
 */
export async function loadBootstrap(context: Context, file: string): Promise<void> {
  const { db, wakeOutbox, log } = context
  const { events, providers } = BootstrapDocument.parse(JSON.parse(await readFile(file, 'utf8')))
  await db.kysely.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('bootstrap'))`.execute(tx)
    for (const { tenant_id, application_id, event_key, templates, ...rest } of events) {
      const row = { ...rest, tenant_id, templates: JSON.stringify(templates) }
      await tx
        .insertInto('events')
        .values({ application_id, event_key, ...row })
        .onConflict((conflict) =>
          conflict.columns(['application_id', 'event_key']).doUpdateSet({ ...row, updated_at: new Date() }),
        )
        .execute()
    }
    for (const provider of providers) await saveProvider(tx, context, provider)
  })
  wakeOutbox()
  log.info({ events: events.length, providers: providers.length }, 'bootstrap document loaded')
}

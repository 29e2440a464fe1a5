import { readFile } from 'node:fs/promises'
import { BootstrapDocument } from '@notify/contracts'
import { runOn } from '@notify/database'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { saveInitialEvent } from '../events/event-store.ts'
import { saveProvider } from '../providers/save-provider.ts'

/**
 * Upserts the initial events and providers, except those that operators have changed. Every replica may load the same file
 * at every start.
 * @throws Error when the file cannot be read or does not match its schema
 */
export async function loadBootstrap(context: Context, file: string): Promise<void> {
  const { db, wakeOutbox, log } = context
  const { events, providers } = BootstrapDocument.parse(JSON.parse(await readFile(file, 'utf8')))
  await db.kysely.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('bootstrap'))`.execute(tx)
    for (const event of events) await saveInitialEvent(runOn(tx), event)
    for (const provider of providers) await saveProvider(runOn(tx), context, provider)
  })
  wakeOutbox()
  log.info({ events: events.length, providers: providers.length }, 'bootstrap document loaded')
}

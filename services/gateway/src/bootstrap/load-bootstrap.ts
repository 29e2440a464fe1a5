import { readFile } from 'node:fs/promises'
import { BootstrapDocument } from '@notify/contracts'
import { sql } from 'kysely'
import type { Context } from '../context.ts'

/**
 * Upserts the initial tenants, applications and keys.
 * @throws Error when the file cannot be read or does not match its schema
 */
export async function loadBootstrap({ db, log }: Context, file: string): Promise<void> {
  const { tenants, applications, api_keys } = BootstrapDocument.parse(JSON.parse(await readFile(file, 'utf8')))
  await db.kysely.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('bootstrap'))`.execute(tx)
    for (const { tenant_id: id, ...row } of tenants) {
      await tx
        .insertInto('tenants')
        .values({ id, ...row })
        .onConflict((c) => c.column('id').doUpdateSet(row))
        .execute()
    }
    for (const { application_id: id, ...row } of applications) {
      await tx
        .insertInto('applications')
        .values({ id, ...row })
        .onConflict((c) => c.column('id').doUpdateSet(row))
        .execute()
    }
    for (const { key_id: id, ...row } of api_keys) {
      await tx
        .insertInto('api_keys')
        .values({ id, ...row })
        .onConflict((c) => c.column('id').doUpdateSet(row))
        .execute()
    }
  })
  log.info({ applications: applications.length, keys: api_keys.length }, 'bootstrap document loaded')
}

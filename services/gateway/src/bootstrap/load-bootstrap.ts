import type { BootstrapDocument } from '@notify/contracts'
import { defineStatement, loadAtStart, nextUpdatedAt, type Run } from '@notify/database'
import { type Kit, readBootstrapFile } from '@notify/service-kit'
import { type ApplicationRow, enqueueApplicationChange } from '../applications/application-store.ts'
import type { Context } from '../context.ts'
import { build, tables } from '../db/schema.ts'

/**
 * Upserts the initial tenants, applications and keys. An application that was changed through the API stays unchanged.
 * @throws Error when the file cannot be read or does not match its schema
 */
export async function loadBootstrap(kit: Kit, { db }: Pick<Context, 'db'>, file: string): Promise<void> {
  const { tenants, applications, api_keys } = await readBootstrapFile(file)
  await loadAtStart(kit, db, async (run) => {
    for (const tenant of tenants) await saveTenant(run, tenant)
    for (const application of applications) {
      const changed = await saveApplication(run, application)
      if (changed) await enqueueApplicationChange(run, changed)
    }
    for (const key of api_keys) await saveKey(run, key)
  })
  kit.log.info({ applications: applications.length, keys: api_keys.length }, 'bootstrap document loaded')
}

async function saveTenant(run: Run, one: BootstrapDocument['tenants'][number]): Promise<void> {
  const { tenant_id: id, name, rate_limit_per_second } = one
  await run(
    build
      .insertInto('tenants')
      .values({ id, name, rate_limit_per_second })
      .onConflict((known) => known.column('id').doUpdateSet({ name, rate_limit_per_second })),
  )
}

const upsertApplication = defineStatement({
  name: 'save-first-application',
  isPrepared: false,
  text: `
    insert into applications as known (id, tenant_id, name, allowed_origins) values ($1, $2, $3, $4)
    on conflict (id) do update set tenant_id = excluded.tenant_id, name = excluded.name,
      allowed_origins = excluded.allowed_origins, revision = known.revision + 1, updated_at = now()
    where not known.managed and (known.tenant_id, known.name, known.allowed_origins)
      is distinct from (excluded.tenant_id, excluded.name, excluded.allowed_origins)
    returning *`,
  columns: tables.applications,
})

/** @returns the application if it is new or changed */
async function saveApplication(
  run: Run,
  one: BootstrapDocument['applications'][number],
): Promise<ApplicationRow | undefined> {
  const [row] = await run(upsertApplication, [one.application_id, one.tenant_id, one.name, one.allowed_origins])
  return row
}

const upsertKey = defineStatement({
  name: 'save-first-key',
  isPrepared: false,
  text: `
    insert into api_keys as known (id, tenant_id, application_id, name, mode, permissions, sha256, rate_limit_per_second)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (id) do update set tenant_id = excluded.tenant_id, application_id = excluded.application_id,
      name = excluded.name, mode = excluded.mode, permissions = excluded.permissions, sha256 = excluded.sha256,
      rate_limit_per_second = excluded.rate_limit_per_second,
      updated_at = ${nextUpdatedAt('known.updated_at')}
    where (known.tenant_id, known.application_id, known.name, known.mode, known.permissions, known.sha256,
        known.rate_limit_per_second)
      is distinct from (excluded.tenant_id, excluded.application_id, excluded.name, excluded.mode, excluded.permissions,
        excluded.sha256, excluded.rate_limit_per_second)`,
})

async function saveKey(run: Run, one: BootstrapDocument['api_keys'][number]): Promise<void> {
  const values = [one.key_id, one.tenant_id, one.application_id, one.name, one.mode, one.permissions, one.sha256]
  await run(upsertKey, [...values, one.rate_limit_per_second])
}

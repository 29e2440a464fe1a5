import type { BootstrapDocument, Id } from '@notify/contracts'
import { type Change, defineStatement, loadAtStart, nextUpdatedAt, type Run } from '@notify/database'
import { type Kit, readBootstrapFile } from '@notify/service-kit'
import {
  type ApplicationRow,
  describeApplication,
  enqueueApplicationChange,
} from '../applications/application-store.ts'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { Context } from '../context.ts'
import { build, tables } from '../db/schema.ts'
import { describeKey, type KeyRow } from '../keys/key-store.ts'

/**
 * Upserts the initial tenants, applications and keys, and records what that changes in the audit log. An application
 * that was changed through the API stays unchanged, and so do the settings of such a key.
 * @throws Error when the file cannot be read or does not match its schema, or names an application of another tenant
 */
export async function loadBootstrap(kit: Kit, { db }: Pick<Context, 'db'>, file: string): Promise<void> {
  const { tenants, applications, api_keys } = await readBootstrapFile(file)
  await loadAtStart(kit, db, async (run) => {
    for (const tenant of tenants) await saveTenant(run, tenant)
    for (const application of applications) await saveApplication(run, application)
    for (const key of api_keys) await saveKey(run, key)
  })
  kit.log.info({ applications: applications.length, keys: api_keys.length }, 'bootstrap document loaded')
}

async function saveTenant(run: Run, one: BootstrapDocument['tenants'][number]): Promise<void> {
  const { tenant_id: id, name, rate_limit_per_second } = one
  const after = { name, rate_limit_per_second }
  const [before] = await run(build.selectFrom('tenants').select(['name', 'rate_limit_per_second']).where('id', '=', id))
  await run(
    build
      .insertInto('tenants')
      .values({ id, ...after })
      .onConflict((known) => known.column('id').doUpdateSet(after)),
  )
  await record(run, { tenantId: id, resourceId: id }, 'tenant', { before, after })
}

const upsertApplication = defineStatement({
  name: 'save-first-application',
  isPrepared: false,
  text: `
    insert into applications as known (id, tenant_id, name, allowed_origins) values ($1, $2, $3, $4)
    on conflict (id) do update set name = excluded.name, allowed_origins = excluded.allowed_origins,
      revision = known.revision + 1, updated_at = now()
    where not known.managed
      and (known.name, known.allowed_origins) is distinct from (excluded.name, excluded.allowed_origins)
    returning *`,
  columns: tables.applications,
})

async function saveApplication(run: Run, one: BootstrapDocument['applications'][number]): Promise<void> {
  const { application_id: id, tenant_id: tenantId, name, allowed_origins } = one
  const known = await applicationOf(run, id, tenantId)
  const [row] = await run(upsertApplication, [id, tenantId, name, allowed_origins])
  if (!row) return
  await enqueueApplicationChange(run, row)
  const [before, after] = [known && describeApplication(known), describeApplication(row)]
  await record(run, { tenantId, applicationId: id, resourceId: id }, 'application', { before, after })
}

/**
 * Finds an application that is stored.
 * @throws Error when another tenant has it, whose messages the keys of this one could then read
 */
async function applicationOf(run: Run, id: Id<'app'>, tenantId: Id<'ten'>): Promise<ApplicationRow | undefined> {
  const [known] = await run(build.selectFrom('applications').selectAll().where('id', '=', id))
  if (!known || known.tenant_id === tenantId) return known
  throw new Error(`BOOTSTRAP_FILE is not valid: the application ${id} is not of the tenant ${tenantId}`)
}

/** What an operator may change of a key. The document still replaces its secret, which may have leaked. */
const settings = ['name', 'permissions', 'rate_limit_per_second']
const ofDocument = ['tenant_id', 'application_id', 'mode', 'sha256']
const setting = (name: string) => `case when known.managed then known.${name} else excluded.${name} end`

const upsertKey = defineStatement({
  name: 'save-first-key',
  isPrepared: false,
  text: `
    insert into api_keys as known (id, tenant_id, application_id, name, mode, permissions, sha256, rate_limit_per_second)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (id) do update set ${ofDocument.map((name) => `${name} = excluded.${name}`).join(', ')},
      ${settings.map((name) => `${name} = ${setting(name)}`).join(', ')}, updated_at = ${nextUpdatedAt('known.updated_at')}
    where (${[...ofDocument, ...settings].map((name) => `known.${name}`).join(', ')})
      is distinct from (${[...ofDocument.map((name) => `excluded.${name}`), ...settings.map(setting)].join(', ')})
    returning *`,
  columns: tables.api_keys,
})

async function saveKey(run: Run, one: BootstrapDocument['api_keys'][number]): Promise<void> {
  const { key_id: id, tenant_id: tenantId, application_id: applicationId, name, mode, permissions, sha256 } = one
  await applicationOf(run, applicationId, tenantId)
  const [known] = await run(build.selectFrom('api_keys').selectAll().where('id', '=', id))
  const values = [id, tenantId, applicationId, name, mode, permissions, sha256, one.rate_limit_per_second]
  const [row] = await run(upsertKey, values)
  if (!row) return
  // The hash is shown as redacted, so that a replaced key shows.
  const describe = (key: KeyRow) => ({ ...describeKey(key), sha256: key.sha256 })
  const [before, after] = [known && describe(known), describe(row)]
  await record(run, { tenantId, applicationId, resourceId: id }, 'api_key', { before, after })
}

/** Records what was created or changed. */
async function record(
  run: Run,
  ids: Pick<Change, 'tenantId' | 'applicationId' | 'resourceId'>,
  type: string,
  { before, after }: { before: object | undefined; after: object },
): Promise<void> {
  const action = `${type}.${before ? 'changed' : 'created'}`
  await recordOwnAudit(run, { request: null, bootstrap: true, ...ids, action, before: before ?? null, after })
}

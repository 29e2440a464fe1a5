import { parseArgs } from 'node:util'
import { ApplicationName, KeyPermission, newId } from '@notify/contracts'
import { openDatabase, type Run } from '@notify/database'
import { mintApiKey } from '@notify/privacy'
import { type Command, readShape, UsageError } from '@notify/service-kit'
import { describeApplication, enqueueApplicationChange, insertApplication } from '../applications/application-store.ts'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { Config } from '../config.ts'
import { migrations } from '../db/migrations.ts'
import { build } from '../db/schema.ts'
import { describeKey, insertKey } from '../keys/key-store.ts'

const usage = 'usage: create-tenant --name <name> [--application <name>] [--cell <cell>]'

/** Creates a tenant with an application and a live API key, and prints their ids and the key as one line of JSON. */
export const createTenantCommand: Command<Config> = async (config, kit, args) => {
  const { name, application, cell = config.CELL } = readArguments(args)
  if (cell !== config.CELL) {
    const here = config.CELL === undefined ? 'has no CELL' : `is the cell ${config.CELL}`
    throw new UsageError(
      `--cell ${cell}: this installation ${here}; run the command in the cell of the tenant\n${usage}`,
    )
  }
  // On the schema of an older release it must fail, not wait.
  const db = await openDatabase(kit, { config, ...(config.MIGRATE_ON_START && { migrations }) })
  const created = await db.transaction((run) => createTenant(run, { name, applicationName: application, cell }))
  process.stdout.write(`${JSON.stringify(created)}\n`)
}

function readArguments(args: readonly string[]): { name: string; application: string; cell?: string } {
  try {
    const text = { type: 'string' } as const
    const options = { name: text, application: { ...text, default: 'Default' }, cell: text } as const
    const { name, application, cell } = parseArgs({ args: [...args], options }).values
    return {
      name: nameOf('--name', name),
      application: nameOf('--application', application),
      ...(cell !== undefined && { cell }),
    }
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${(error as Error).message}\n${usage}`)
  }
}

/** @throws UsageError with what is wrong with the name */
function nameOf(option: string, value: string | undefined): string {
  const { value: name, errors } = readShape(ApplicationName, value)
  if (!errors) return name
  throw new UsageError(`${option} ${errors[0]!.message}\n${usage}`)
}

interface NewTenant {
  name: string
  applicationName: string
  cell: string | undefined
}

async function createTenant(run: Run, { name, applicationName, cell }: NewTenant) {
  const tenantId = newId('ten')
  const applicationId = newId('app')
  const id = newId('key')
  await run(build.insertInto('tenants').values({ id: tenantId, name }))
  const defaults = { default_locale: null, default_time_zone: null, bulk_requires_topic: false, brand: {} }
  const settings = { name: applicationName, allowed_origins: [], otp: {}, ...defaults }
  const application = (await insertApplication(run, { id: applicationId, tenantId, ...settings }))!
  await enqueueApplicationChange(run, application)
  const { apiKey, sha256 } = mintApiKey('live', id, cell)
  const permissions = KeyPermission.options
  const key = {
    id,
    tenantId,
    applicationId,
    name: 'First key',
    mode: 'live',
    permissions,
    sha256,
    rateLimit: null,
  } as const
  const row = await insertKey(run, key)
  const common = { request: null, tenantId, applicationId, before: null }
  const ofApplication = {
    action: 'application.created',
    resourceId: applicationId,
    after: describeApplication(application),
  }
  await recordOwnAudit(run, { ...common, ...ofApplication })
  await recordOwnAudit(run, { ...common, action: 'api_key.created', resourceId: id, after: describeKey(row) })
  return {
    tenant_id: tenantId,
    application_id: applicationId,
    key_id: id,
    api_key: apiKey,
    ...(cell !== undefined && { cell }),
  }
}

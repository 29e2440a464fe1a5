import { join } from 'node:path'
import { schemaOf, serviceNames } from '@notify/contracts'
import { type Migrations, migrate } from '@notify/database'
import { provisionDatabase, provisionServices } from '@notify/database/provision'
import { createLogger, Lifecycle } from '@notify/service-kit'
import pg from 'pg'
import { derivedPassword } from '../stack/derived-password.ts'
import { migratedVariable } from './copy-migrated.ts'

/** Makes the database that NOTIFY_TEST_MIGRATED_URL names, unless another process has made it meanwhile. */

const wanted = new URL(process.env[migratedVariable]!)
const name = wanted.pathname.slice(1)
const server = new URL('/postgres', wanted)
/** It gets its name when it is complete. */
const unfinished = new URL(`/${name}_unfinished`, wanted)
const { log } = createLogger('dispatch', 'warn')
const kit = { log, lifecycle: new Lifecycle(log) }

const admin = new pg.Client({ connectionString: server.href })
await admin.connect()
await admin.query(`select pg_advisory_lock(hashtext('notify.migrated'))`)
const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
if (!rowCount) await make()
await admin.end()

async function make(): Promise<void> {
  const unfinishedName = unfinished.pathname.slice(1)
  await admin.query(`drop database if exists ${unfinishedName}`)
  await provisionDatabase(server.href, unfinishedName)
  const passwordOf = derivedPassword(wanted.password)
  await provisionServices(
    unfinished.href,
    serviceNames.map((service) => ({ service, password: passwordOf(service) })),
  )
  for (const service of serviceNames) {
    const file = join(import.meta.dirname, '../../../../services', service, 'src/db/migrations.ts')
    const { migrations } = (await import(file)) as { migrations: Migrations }
    const url = new URL(unfinished)
    Object.assign(url, { username: schemaOf(service), password: passwordOf(service) })
    await migrate(kit, { config: { DATABASE_URL: url.href }, schema: schemaOf(service), migrations })
  }
  await admin.query(`alter database ${unfinishedName} rename to ${name}`)
}

import { schemaOf } from '@notify/contracts'
import { migrate, migrateCommand, openDatabase } from '@notify/database'
import { connectBus, provisionStream, readNatsLogin } from '@notify/messaging'
import { type Commands, type Kit, serveHttp } from '@notify/service-kit'
import type { Config } from './config.ts'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/schema.ts'
import { routes } from './routes.ts'

const schema = schemaOf('inbox-stream')

export const commands: Commands<Config> = {
  migrate: migrateCommand(migrations),
}

export async function createService(config: Config, kit: Kit): Promise<void> {
  const db = await openDatabase<Tables>(kit, {
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    schema,
    preparedStatements: config.DATABASE_PREPARED_STATEMENTS,
  })
  if (config.MIGRATE_ON_START) await migrate(kit, { config, schema, migrations })
  const bus = await connectBus(kit, { login: readNatsLogin(config), requiredForReady: false })
  await provisionStream(bus, 'inbox-stream', config.STREAM_REPLICAS)
  await serveHttp(kit, { config, context: { db, bus }, routes })
}

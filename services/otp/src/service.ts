import { migrateCommand, openDatabase } from '@notify/database'
import { openBus } from '@notify/messaging'
import { type Commands, type Kit, serveHttp } from '@notify/service-kit'
import type { Config } from './config.ts'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/schema.ts'
import { routes } from './routes.ts'

export const commands: Commands<Config> = {
  migrate: migrateCommand(migrations),
}

export async function createService(config: Config, kit: Kit): Promise<void> {
  const db = await openDatabase<Tables>(kit, { config, migrations })
  const bus = await openBus(kit, config)
  await serveHttp(kit, { config, context: { db, bus }, routes })
}

import { run } from '@notify/service-kit'
import { Config } from './config.ts'
import { createService, migrateSchema } from './service.ts'

await run({ name: 'inbox-stream', config: Config, createService, migrate: migrateSchema })

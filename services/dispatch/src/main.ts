import { run } from '@notify/service-kit'
import { Config } from './config.ts'
import { createService, migrateSchema, rotateKeys } from './service.ts'

await run({ name: 'dispatch', config: Config, createService, migrate: migrateSchema, rotateKeys })

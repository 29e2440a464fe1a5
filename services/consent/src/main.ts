import { run } from '@notify/service-kit'
import { Config } from './config.ts'
import { commands, createService } from './service.ts'

await run({ name: 'consent', config: Config, createService, commands })

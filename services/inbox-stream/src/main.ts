import { run } from '@notify/service-kit'
import { Config } from './config.ts'
import { commands, createService } from './service.ts'

await run({ name: 'inbox-stream', config: Config, createService, commands })

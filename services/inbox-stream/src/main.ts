import { setFlagsFromString } from 'node:v8'
import { run } from '@notify/service-kit'
import { Config } from './config.ts'
import { commands, createService } from './service.ts'

// Streams outlive the garbage of their opening: a young generation that grows to 16 MiB would keep 10 KiB of it a stream.
setFlagsFromString('--semi-space-growth-factor=1')

await run({ name: 'inbox-stream', config: Config, createService, commands })

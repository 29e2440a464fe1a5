import { run } from '@notify/service-kit'
import { Config } from '../../src/config.ts'
import { commands, createService } from '../../src/service.ts'
import { toyCarriers } from './toy-carrier.ts'
import { toyChannels } from './toy-channels.ts'

await run({
  name: 'dispatch',
  config: Config,
  createService: (config, kit) => createService(config, kit, { channels: toyChannels, carriers: toyCarriers }),
  commands,
})

import { z } from 'zod'
import { commonConfig, run } from '../../src/index.ts'

/** A service that stops properly, but has something open that nobody closes. */
await run({
  name: 'consent',
  config: z.object(commonConfig),
  commands: {},
  async createService() {
    setInterval(() => {}, 1000)
  },
})

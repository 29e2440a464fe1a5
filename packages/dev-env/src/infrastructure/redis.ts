import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireBinary } from '../binaries/find-binary.ts'
import type { State } from '../state/state.ts'
import { greeting } from './greeting.ts'
import { Server, type ServerOptions } from './server.ts'

interface RedisOptions extends ServerOptions {
  /** Holds the password. */
  state: State
}

/** Starts redis-server on 127.0.0.1 without persistence: what it holds (rate limits, caches) may be lost. */
export async function startRedis({
  port,
  dataDir,
  logFile,
  settings = [],
  state,
  ...hooks
}: RedisOptions): Promise<Server> {
  const command = requireBinary('redis-server')
  mkdirSync(dataDir, { recursive: true })
  const configFile = join(dataDir, 'redis.conf')
  const config = [
    `port ${port}`,
    ...settings,
    'bind 127.0.0.1',
    'save ""',
    'appendonly no',
    `dir ${JSON.stringify(dataDir)}`,
    `requirepass ${JSON.stringify(state.redis_password)}`,
  ]
  writeFileSync(configFile, `${config.join('\n')}\n`, { mode: 0o600 })
  const server = new Server(redisUrl(port, state), port, {
    name: 'redis',
    command,
    args: [configFile],
    // Redis 7 refuses to start under a locale that the machine does not have.
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    cwd: dataDir,
    logFile,
    stopSignal: 'SIGTERM',
    ready: async () => (await greeting({ port, say: `AUTH ${state.redis_password}\r\n` })).startsWith('+OK'),
    ...hooks,
  })
  await server.start()
  return server
}

/** URL of the stack's Redis server with its password. */
export function redisUrl(port: number, { redis_password }: State): string {
  return `redis://:${encodeURIComponent(redis_password)}@127.0.0.1:${port}`
}

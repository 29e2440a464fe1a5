import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireBinary } from '../binaries/find-binary.ts'
import { greeting } from './greeting.ts'
import { Server, type ServerOptions } from './server.ts'

/** Starts nats-server with JetStream on 127.0.0.1; the store lives in `dataDir`. */
export async function startNats({ port, dataDir, logFile, ...hooks }: ServerOptions): Promise<Server> {
  const command = requireBinary('nats-server')
  mkdirSync(dataDir, { recursive: true })
  const configFile = join(dataDir, 'nats.conf')
  const config = [
    'server_name: notify-development',
    'host: "127.0.0.1"',
    `port: ${port}`,
    'max_payload: 1048576',
    'jetstream {',
    `  store_dir: ${JSON.stringify(join(dataDir, 'jetstream'))}`,
    '  max_memory_store: 268435456',
    '  max_file_store: 10737418240',
    '}',
  ]
  writeFileSync(configFile, `${config.join('\n')}\n`, { mode: 0o600 })
  const server = new Server(`nats://127.0.0.1:${port}`, port, {
    name: 'nats',
    command,
    args: ['--config', configFile],
    env: { PATH: process.env.PATH, HOME: dataDir },
    cwd: dataDir,
    logFile,
    stopSignal: 'SIGTERM',
    // The server speaks first; it recovers JetStream's store before it listens for clients.
    ready: async () => /"jetstream":\s*true/.test(await greeting({ port })),
    ...hooks,
  })
  await server.start()
  return server
}

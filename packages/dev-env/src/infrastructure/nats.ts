import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type NatsUser, natsPasswordVariable, natsUsers } from '@notify/contracts'
import { requireBinary } from '../binaries/find-binary.ts'
import type { State } from '../state/state.ts'
import { greeting } from './greeting.ts'
import { Server, type ServerOptions } from './server.ts'

interface NatsOptions extends ServerOptions {
  /** Its passwords are the users'. */
  state: State
  /** Servers of a cluster need different ones. */
  serverName?: string
}

/** Users and permissions, the same in every installation; written by `npm run generate`. */
const authorizationFile = join(import.meta.dirname, '..', '..', '..', '..', 'infra', 'nats', 'authorization.conf')

/** Starts nats-server with JetStream on 127.0.0.1; the store lives in `dataDir`. Every connection needs a login. */
export async function startNats({
  port,
  dataDir,
  logFile,
  settings = [],
  state,
  serverName = 'notify-development',
  ...hooks
}: NatsOptions): Promise<Server> {
  const command = requireBinary('nats-server')
  mkdirSync(dataDir, { recursive: true })
  const configFile = join(dataDir, 'nats.conf')
  const config = [
    `server_name: ${serverName}`,
    'host: "127.0.0.1"',
    `port: ${port}`,
    ...settings,
    'max_payload: 1048576',
    'jetstream {',
    `  store_dir: ${JSON.stringify(join(dataDir, 'jetstream'))}`,
    '  max_memory_store: 268435456',
    '  max_file_store: 10737418240',
    '}',
    readFileSync(authorizationFile, 'utf8'),
  ]
  writeFileSync(configFile, `${config.join('\n')}\n`, { mode: 0o600 })
  const server = new Server(natsUrl(port, state, 'admin'), port, {
    name: 'nats',
    command,
    args: ['--config', configFile],
    env: { PATH: process.env.PATH, HOME: dataDir, ...passwordVariables(state) },
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

/** URL of the stack's NATS server with the credentials of a user. */
export function natsUrl(port: number, { nats_passwords }: State, user: NatsUser): string {
  return `nats://${user}:${encodeURIComponent(nats_passwords[user])}@127.0.0.1:${port}`
}

/** The variables that authorization.conf reads. Quoted, because an unquoted password of digits would be a number. */
function passwordVariables({ nats_passwords }: State): Record<string, string> {
  return Object.fromEntries(natsUsers.map((user) => [natsPasswordVariable(user), JSON.stringify(nats_passwords[user])]))
}

import { mkdirSync } from 'node:fs'
import { requireBinary } from '../binaries/find-binary.ts'
import { greeting } from './greeting.ts'
import { Server, type ServerOptions } from './server.ts'

/** Starts redis-server on 127.0.0.1 without persistence: what it holds (rate limits, caches) may be lost. */
export async function startRedis({ port, dataDir, logFile, ...hooks }: ServerOptions): Promise<Server> {
  const command = requireBinary('redis-server')
  mkdirSync(dataDir, { recursive: true })
  const server = new Server(`redis://127.0.0.1:${port}`, port, {
    name: 'redis',
    command,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dataDir],
    // Redis 7 refuses to start under a locale that the machine does not have.
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    cwd: dataDir,
    logFile,
    stopSignal: 'SIGTERM',
    ready: async () => (await greeting({ port, say: 'PING\r\n' })).startsWith('+PONG'),
    ...hooks,
  })
  await server.start()
  return server
}

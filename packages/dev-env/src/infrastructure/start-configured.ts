import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { requireBinary } from '../binaries/find-binary.ts'
import type { Binary } from '../binaries/programs.ts'
import { startReaper } from '../stack/reaper.ts'
import { Server } from './server.ts'

interface Configured {
  args: string[]
  env?: Record<string, string>
  port: number
  /** A folder of its own; made when missing. */
  folder: string
}

/** Starts nats-server or redis-server with arguments of a test's own, and waits until it listens. */
export async function startConfigured(binary: Binary, { args, env = {}, port, folder }: Configured): Promise<Server> {
  mkdirSync(folder, { recursive: true })
  const reaper = startReaper()
  const server = new Server(`127.0.0.1:${port}`, port, {
    name: binary,
    command: requireBinary(binary),
    args,
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C', ...env },
    cwd: folder,
    logFile: join(folder, 'server.log'),
    stopSignal: 'SIGTERM',
    ready: () => listens(port),
    onStart: (pid) => reaper.add('server', pid),
    onEnd: (pid) => reaper.forget(pid),
  })
  await server.start()
  return server
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}

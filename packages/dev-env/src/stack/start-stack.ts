import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificates } from '../infrastructure/make-certificates.ts'
import { natsUrl } from '../infrastructure/nats.ts'
import { portsFrom, requireFreePorts } from '../infrastructure/ports.ts'
import { redisUrl } from '../infrastructure/redis.ts'
import { bootstrapDocument } from '../seed.ts'
import { StartupError } from '../startup-error.ts'
import { loadState } from '../state/load-state.ts'
import { writeSecretFile } from '../state/write-secret-file.ts'
import { derivedPassword } from './derived-password.ts'
import { createNodeProcesses } from './node-process.ts'
import { isStandIn, type NodeProcess, type ProcessName, serviceProcesses, standInProcesses } from './process-names.ts'
import { fileOf } from './process-table.ts'
import { startReaper } from './reaper.ts'
import { reviver } from './revive.ts'
import { startServers } from './servers.ts'
import { Stack } from './stack.ts'
import type { StackOptions } from './stack-options.ts'
import { shopOrigins, type Wiring } from './wiring.ts'

/**
 * Starts Postgres, NATS, Redis, the services and the stand-ins, and waits until all of them serve. When one of them does
 * not come up, all are stopped again.
 * @throws StartupError with one line that says what is wrong
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { root, dataDir, portBase, databaseName = 'notify', onProgress = () => {}, logs = 'file' } = options
  // Postgres may run as another user and has to enter; what is secret in here is 0600.
  mkdirSync(dataDir, { recursive: true, mode: 0o755 })
  const processes = chooseProcesses(options)
  const ports = portsFrom(portBase)
  await requireFreePorts(ports, [...processes, ...ownServers(options)])

  const state =
    options.state ??
    loadState(dataDir, { ownPostgres: !options.sharedPostgres, onProgress, reset: options.reset ?? false })
  const logDir = join(dataDir, 'logs')
  rmSync(logDir, { recursive: true, force: true })
  mkdirSync(logDir, { recursive: true, mode: 0o700 })
  const bootstrapFile = join(dataDir, 'bootstrap.json')
  writeSecretFile(bootstrapFile, bootstrapDocument(state, shopOrigins(ports)))

  const adminUrl =
    options.sharedPostgres ??
    `postgres://postgres:${encodeURIComponent(state.postgres_password)}@127.0.0.1:${ports.process.postgres}/postgres`
  const database = new URL(adminUrl)
  database.pathname = `/${encodeURIComponent(databaseName)}`
  const wiring: Wiring = {
    ports,
    state,
    natsUrl: options.natsUrl ?? natsUrl(ports.process.nats, state, 'admin'),
    // An external server has one login; its users are managed elsewhere.
    serviceNatsUrl: (service) => options.natsUrl ?? natsUrl(ports.process.nats, state, service),
    redisUrl: options.redisUrl ?? redisUrl(ports.process.redis, state),
    adminDatabaseUrl: database.href,
    servicePassword: options.sharedPostgres
      ? derivedPassword(database.password)
      : (service) => state.service_passwords[service],
    bootstrapFile,
    withSender: processes.includes('dispatch-sender'),
    certificates: options.certificates ?? (await makeCertificates(join(dataDir, 'certificates'))),
    logLevel: process.env.LOG_LEVEL || (logs === 'silent' ? 'warn' : 'info'),
  }

  const reaper = startReaper()
  const stack = new Stack(dataDir, wiring, reaper, onProgress)
  options.signal?.addEventListener('abort', () => void stack.stop())
  await options.onStack?.(stack)
  const revive = reviver(stack, options)
  const watch = (name: ProcessName, kind: 'service' | 'server') => ({
    onStart: (pid: number) => {
      reaper.add(kind, pid)
      options.onProcess?.(name, pid)
    },
    onEnd: (pid: number) => reaper.forget(pid),
    onCrash: (how: string) => revive(name, how),
  })
  try {
    const made = { names: processes, wiring, options, root, logDir }
    const children = await createNodeProcesses({ ...made, watch: (name) => watch(name, 'service') })
    for (const [name, child] of children) stack.children.set(name, child)
    // Stand-ins need no server, and the identity provider is the slowest to load.
    const standIns = startAll(
      stack,
      processes.filter((name) => isStandIn(name)),
    )
    standIns.catch(() => {})
    await startServers({ stack, options, logDir, adminUrl, databaseName, watch: (name) => watch(name, 'server') })
    options.signal?.throwIfAborted()
    onProgress(`starting ${processes.length} processes`)
    await Promise.all([
      standIns,
      startAll(
        stack,
        processes.filter((name) => !isStandIn(name)),
      ),
    ])
    stack.started = true
    return stack
  } catch (error) {
    await stack.stop({ graceMs: 5000 })
    throw error
  }
}

async function startAll(stack: Stack, names: NodeProcess[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      await stack.children.get(name)?.start()
      await stack.waitReady(name)
    }),
  )
}

function chooseProcesses({ root, services, entries }: StackOptions): NodeProcess[] {
  const all: NodeProcess[] = [...serviceProcesses, ...standInProcesses]
  const entry = (name: NodeProcess) => entries?.[name] ?? fileOf(name)
  const missing = services?.find((name) => !existsSync(join(root, entry(name))))
  if (missing) throw new StartupError(`${missing} cannot be started: there is no ${entry(missing)}`)
  return all.filter((name) => services?.includes(name) ?? existsSync(join(root, entry(name))))
}

function ownServers({ sharedPostgres, natsUrl, redisUrl }: StackOptions): ProcessName[] {
  return [
    ...(sharedPostgres ? [] : ['postgres' as const]),
    ...(natsUrl ? [] : ['nats' as const]),
    ...(redisUrl ? [] : ['redis' as const]),
  ]
}

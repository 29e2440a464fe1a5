import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceName } from '@notify/contracts'
import type { z } from 'zod'
import { ConfigError, type commonConfig, loadConfig } from './config.ts'
import { Health } from './health.ts'
import type { Kit } from './kit.ts'
import { Lifecycle } from './lifecycle.ts'
import { createLogger, describeError, type LoggerHandle } from './logger.ts'
import { returnMemory } from './return-memory.ts'
import { startMetrics } from './telemetry/metrics.ts'
import { measureProcess } from './telemetry/process-metrics.ts'
import { createTracer } from './telemetry/tracing.ts'
import { version } from './telemetry/version.ts'

/** How long a stopped process may take to end by itself. */
const lingerMs = 2000

type Common = z.output<z.ZodObject<typeof commonConfig>>

/** Where a service runs. */
interface Host {
  /** The variables of the configuration. */
  env: NodeJS.ProcessEnv
  /** Called once the service has stopped, or could not start. Default: the process ends. */
  onStopped?: () => void
}

interface Definition<S extends z.ZodObject> {
  name: ServiceName
  config: S
  /** Opens the resources of the service; each registers its stop. */
  createService(config: z.output<S>, kit: Kit): Promise<void>
  commands: Commands<z.output<S>>
}

/** Commands by the argument of `main.ts`. A process runs one command instead of serving. */
export type Commands<Config> = Readonly<Record<string, Command<Config>>>

export type Command<Config> = (config: Config, kit: CommandKit, args: readonly string[]) => Promise<void>

/** A command that is loaded when it runs, so that a serving process does not hold its code in memory. */
export function commandOnDemand<Config>(load: () => Promise<Command<Config>>): Command<Config> {
  return async (...args) => (await load())(...args)
}

/** The part of a {@link Kit} available to commands. */
export type CommandKit = Pick<Kit, 'service' | 'log' | 'lifecycle'>

/** Invalid arguments of a command. The message explains the usage and is printed as it is. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/**
 * Runs a service process: reads the configuration, creates the service and reports ready. SIGTERM, SIGINT or the loss
 * of its supervisor start the drain; a second signal ends it at once. An argument names a command to run instead; `version` needs no
 * configuration.
 * @param host by default the process, which runs nothing else
 */
export async function run<S extends z.ZodObject>(definition: Definition<S>, host: Host = process): Promise<void> {
  // Liquid's filters of dates use the zone of the process: in one with daylight saving, some dates would be an hour off.
  process.env.TZ = 'UTC'
  const [, , name, ...args] = process.argv
  const { commands } = definition
  if (name === 'version') {
    process.stdout.write(`${definition.name} ${version}\n`)
    return
  }
  if (name !== undefined && !Object.hasOwn(commands, name)) {
    // A typing error must not start a server instead of a migration.
    process.stderr.write(`${definition.name} has no command ${name}; it has: ${Object.keys(commands).join(', ')}\n`)
    process.exitCode = 1
    return
  }
  let config: z.output<S> & Common
  try {
    config = loadConfig(definition.config, host.env) as z.output<S> & Common
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${definition.name} cannot start:\n${error.message}\n`)
    process.exitCode = 1
    host.onStopped?.()
    return
  }
  const logger = createLogger(definition.name, config.LOG_LEVEL)
  const lifecycle = new Lifecycle(logger.log)
  watchFaults(logger, lifecycle)
  try {
    const command = name === undefined ? undefined : commands[name]
    if (command) {
      await command(config, { service: definition.name, log: logger.log, lifecycle }, args)
      await lifecycle.stop()
      logger.flush()
      return
    }
    await serve(definition, config, { logger, lifecycle, onStopped: host.onStopped })
  } catch (error) {
    if (error instanceof UsageError) process.stderr.write(`${error.message}\n`)
    else logger.log.fatal({ err: error }, `${definition.name} cannot ${name ?? 'start'}: ${(error as Error).message}`)
    process.exitCode = 1
    await lifecycle.stop()
    logger.flush()
    if (host.onStopped) host.onStopped()
    // The IPC channel to the supervisor would otherwise keep the process alive.
    else if (process.connected) process.disconnect()
  }
}

interface Serving {
  logger: LoggerHandle
  lifecycle: Lifecycle
  onStopped: Host['onStopped']
}

async function serve<S extends z.ZodObject>(
  definition: Definition<S>,
  config: z.output<S> & Common,
  serving: Serving,
): Promise<void> {
  const { lifecycle } = serving
  const { log } = serving.logger
  const health = new Health()
  const tracer = await createTracer(
    {
      service: definition.name,
      endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
      sampleRatio: config.TRACE_SAMPLE_RATIO,
    },
    lifecycle,
  )
  const metrics = await startMetrics({ host: config.HOST, port: config.METRICS_PORT }, { lifecycle, health })
  measureProcess(metrics, { lifecycle, health })
  const stop = drainOn(serving, health, config)
  try {
    await definition.createService(config, { service: definition.name, log, lifecycle, health, metrics, tracer })
  } catch (error) {
    // A stop while the service waits for a dependency is not a failure.
    if (!stop.requested) throw error
  }
  if (stop.requested) return
  health.setReady(true)
  log.info('ready')
  returnMemory()
}

/** Installs the signal handlers; the process exits by itself once nothing is open. */
function drainOn(
  { logger, lifecycle, onStopped = () => end(logger) }: Serving,
  health: Health,
  config: Common,
): { requested: boolean } {
  const state = { requested: false }
  const drain = async (reason: string) => {
    if (state.requested) process.exit(130)
    state.requested = true
    logger.log.info({ reason }, 'draining')
    health.setReady(false)
    lifecycle.drain()
    await delay(config.DRAIN_DELAY)
    const deadline = setTimeout(() => {
      logger.log.error('drain timed out')
      logger.flush()
      process.exit(1)
    }, config.SHUTDOWN_TIMEOUT)
    await lifecycle.stop()
    clearTimeout(deadline)
    logger.log.info('stopped')
    logger.flush()
    onStopped()
  }
  process.on('SIGTERM', () => void drain('SIGTERM'))
  process.on('SIGINT', () => void drain('SIGINT'))
  process.on('disconnect', () => {
    if (!state.requested) void drain('the supervisor is gone')
  })
  return state
}

/**
 * Ends the process even if a resource is still open: the start may have opened it after the stop, or a library may hold it.
 */
function end({ log, flush }: LoggerHandle): void {
  if (process.connected) process.disconnect()
  setTimeout(() => {
    log.warn({ resources: process.getActiveResourcesInfo() }, 'stopped, but something keeps the process open: exiting')
    flush()
    process.exit()
  }, lingerMs).unref()
}

/** After an uncaught exception the state is unknown: log it, drain, and exit with an error. */
function watchFaults({ log, flush }: LoggerHandle, lifecycle: Lifecycle): void {
  const end = async (fault: unknown) => {
    process.exitCode = 1
    log.fatal({ err: describeError(fault) }, 'uncaught exception')
    flush()
    setTimeout(() => process.exit(1), 5000).unref()
    await lifecycle.stop()
    process.exit(1)
  }
  process.on('uncaughtException', (error) => void end(error))
  process.on('unhandledRejection', (error) => void end(error))
}

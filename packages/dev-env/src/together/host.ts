import { setTimeout as delay } from 'node:timers/promises'
import { run } from '@notify/service-kit'
import type { NodeProcess } from '../stack/process-names.ts'
import { isStandIn, type ServiceProcess, type StandIn, serviceOf } from '../stack/process-names.ts'
import { programPath } from '../test-programs/program-path.ts'
import { type Environments, freeLine } from './orders.ts'

type Env = Record<string, string>
/** Settles when what was started has stopped. */
type Start = () => Promise<unknown>

/** Loaded by their paths: a package depends on no service, and nothing depends on the stand-ins. */
const load = (source: string) => import(programPath(source))

const stopEvents = ['SIGTERM', 'SIGINT', 'disconnect'] as const
const faultEvents = ['uncaughtException', 'unhandledRejection'] as const
/**
 * So many turns a stopped stack has to close what is just being closed, such as a connection. Turns, not time: on a busy machine
 * both take longer. Three seconds and more, because the other end of a connection may have to wait for the processor.
 */
const closingTurns = 300
/** A process that has run many stacks gives its memory back by ending. */
const maxRssBytes = 600 * 1024 * 1024

/** Runs the services of one stack after another: what costs most of a start is loading their code. */
export class Host {
  #services: Promise<Start>[] = []
  #running: Promise<unknown>[] = []
  #idle: string[] = []

  /** Stand-ins need no server and start at once; services wait for `start`, but are loaded meanwhile. */
  load(environments: Environments): void {
    if (this.#idle.length === 0) this.#idle = openResources()
    for (const [name, env] of Object.entries(environments) as [NodeProcess, Env][]) {
      if (isStandIn(name)) this.#running.push(loadStandIn(name, env).then((start) => start()))
      else this.#services.push(loadService(name, env))
    }
  }

  start(): void {
    for (const service of this.#services.splice(0)) this.#running.push(service.then((start) => start()))
  }

  /** Stops everything as SIGTERM would, and prints {@link freeLine}; ends the process when something is left over. */
  async stop(): Promise<void> {
    for (const stop of process.listeners('SIGTERM')) if (stop !== this.end) stop('SIGTERM')
    await Promise.allSettled(this.#running.splice(0))
    this.#services = []
    for (const event of [...stopEvents, ...faultEvents])
      for (const listener of process.listeners(event as 'SIGTERM'))
        if (listener !== this.end) process.off(event, listener)
    if (process.exitCode || process.memoryUsage.rss() > maxRssBytes || !(await this.#isClear())) process.exit()
    process.stdout.write(`${freeLine}\n`)
  }

  /** Ends the process once the services, who listen to the same events, have stopped. */
  readonly end = async (): Promise<void> => {
    await Promise.allSettled(this.#running)
    process.exit()
  }

  async #isClear(): Promise<boolean> {
    for (let turn = 0; turn < closingTurns; turn++) {
      await delay(10)
      if (openResources().length <= this.#idle.length) return true
    }
    process.stdout.write(`together: left open: ${openResources().join(' ')} (idle: ${this.#idle.join(' ')})\n`)
    return false
  }
}

/** The kinds of what keeps the event loop going. */
function openResources(): string[] {
  // Node opens each of them at its first use.
  void [process.stdout, process.stderr]
  return process.getActiveResourcesInfo()
}

async function loadStandIn(name: StandIn, env: Env): Promise<Start> {
  if (name === 'carrier-sandbox') {
    const { runSandbox } = await load('packages/carrier-sandbox/src/run.ts')
    return () => runSandbox(env)
  }
  if (name === 'identity-provider') {
    const { serveIdentityProvider } = await load('packages/dev-env/src/identity-provider/serve.ts')
    return () => serveIdentityProvider(env)
  }
  throw new Error(`${name} can only run in a process of its own: name it in apart`)
}

async function loadService(process: ServiceProcess, env: Env): Promise<Start> {
  const name = serviceOf(process)
  const { Config } = await load(`services/${name}/src/config.ts`)
  const { createService, commands } = await load(`services/${name}/src/service.ts`)
  const definition = { name, config: Config, createService, commands }
  return () => new Promise<void>((resolve, reject) => run(definition, { env, onStopped: resolve }).catch(reject))
}

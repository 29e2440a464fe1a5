import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import {
  environmentOf,
  eventually,
  fileOf,
  hostEnvironment,
  machineEnvironment,
  patienceMs,
  programPath,
  type ServiceProcess,
  type TestEnv,
} from '@notify/dev-env'

/** A further process. */
export interface ReplicaProcess {
  child: ChildProcess
  /** What it has logged. */
  output(): string
  /** Sends a signal, and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** One more process of a service. */
export interface Replica extends ReplicaProcess {
  url: string
}

type Variables = Record<string, string>

/** Starts one more process of a service, and waits until it is ready. */
export async function startReplica(env: TestEnv, name: ServiceProcess, variables: Variables = {}): Promise<Replica> {
  const own = await replicaEnvironment(env, name, { PORT: '0', ...variables })
  const replica = follow(
    spawn(process.execPath, [programPath(fileOf(name))], { env: own, stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  await untilReady(replica, 1)
  const [, port] = /"port":(\d+),"msg":"listening"/.exec(replica.output())!
  return { ...replica, url: `http://127.0.0.1:${port}` }
}

/** Starts one more process in which all these services run, and waits until they are ready. */
export async function startReplicas(
  env: TestEnv,
  variables: Partial<Record<ServiceProcess, Variables>>,
): Promise<ReplicaProcess> {
  const named = Object.entries(variables) as [ServiceProcess, Variables][]
  const load = await Promise.all(
    named.map(async ([name, own]) => [name, await replicaEnvironment(env, name, own)] as const),
  )
  const child = spawn(process.execPath, [programPath('packages/dev-env/src/together/main.ts')], {
    env: hostEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const replica = follow(child)
  child.send({ load: Object.fromEntries(load) })
  child.send('start')
  await untilReady(replica, named.length)
  return replica
}

async function replicaEnvironment({ stack }: TestEnv, name: ServiceProcess, variables: Variables): Promise<Variables> {
  return {
    ...machineEnvironment(),
    ...(await environmentOf(name, stack.wiring)),
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    ...variables,
  }
}

function follow(child: ChildProcess): ReplicaProcess {
  let text = ''
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return {
    child,
    output: () => text,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

async function untilReady({ child, output }: ReplicaProcess, services: number): Promise<void> {
  try {
    await eventually(() => {
      const ready = output().split('"msg":"ready"').length - 1
      if (ready < services) throw new Error(`${ready} of ${services} are ready: ${output()}`)
    })
  } catch (error) {
    // Jest waits for every process that holds its output.
    child.kill('SIGKILL')
    throw error
  }
}

/** Over many rows a command takes minutes on a busy machine. */
const commandMs = 4 * patienceMs

/** Runs a command of a service as an operator does, in the environment of its process. */
export async function runCommand(
  env: TestEnv,
  process: ServiceProcess,
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<{ status: number | null; output: string }> {
  const { status, stdout, stderr } = spawnSync(globalThis.process.execPath, [programPath(fileOf(process)), ...args], {
    env: {
      ...machineEnvironment(),
      ...(await environmentOf(process, env.stack.wiring)),
      LOG_LEVEL: 'info',
      ...variables,
    },
    encoding: 'utf8',
    timeout: commandMs,
  })
  return { status, output: stdout + stderr }
}

/** The same beside running tests, with a text as its standard input; its output and its errors apart. */
export async function pipeCommand(
  env: TestEnv,
  process: ServiceProcess,
  args: readonly string[],
  { input = '', variables = {} }: { input?: string; variables?: Variables } = {},
): Promise<{ status: number | null; output: string; errors: string }> {
  const own = {
    ...machineEnvironment(),
    ...(await environmentOf(process, env.stack.wiring)),
    LOG_LEVEL: 'info',
    ...variables,
  }
  const child = spawn(globalThis.process.execPath, [programPath(fileOf(process)), ...args], {
    env: own,
    timeout: commandMs,
  })
  // A command that refuses its arguments does not read.
  child.stdin.on('error', () => {}).end(input)
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status, output, errors }
}

import { join } from 'node:path'
import { Child, type ChildSpec } from '../infrastructure/child-process.ts'
import { greeting } from '../infrastructure/greeting.ts'
import { programPath, programsVariable } from '../test-programs/program-path.ts'
import { HostProcess } from '../together/host-process.ts'
import { keptProcesses } from '../together/kept-processes.ts'
import { Member, type NodeChild } from '../together/member.ts'
import type { Environments } from '../together/orders.ts'
import { machineEnvironment } from './machine-environment.ts'
import type { NodeProcess } from './process-names.ts'
import { environmentOf, fileOf } from './process-table.ts'
import type { StackOptions } from './stack-options.ts'
import { warningOf } from './warnings.ts'
import { baseUrl, type Wiring } from './wiring.ts'

interface Hooks {
  onStart: (pid: number) => void
  onEnd: (pid: number) => void
  onCrash: (how: string) => void
}

interface NodeProcessesOptions {
  names: readonly NodeProcess[]
  wiring: Wiring
  options: StackOptions
  root: string
  logDir: string
  /** Callbacks for the starts and ends of a process. */
  watch: (name: NodeProcess) => Hooks
}

/** Prepares the Node processes of the stack; none is started yet. */
export async function createNodeProcesses(all: NodeProcessesOptions): Promise<Map<NodeProcess, NodeChild>> {
  const { names, wiring, options } = all
  const made = new Map<NodeProcess, NodeChild>()
  const ready = (name: NodeProcess) => () => answersReady(baseUrl(wiring, name))
  const shared = names.filter((name) => options.together?.includes(name) && !options.entries?.[name])
  if (shared.length > 1) {
    const environments = await Promise.all(shared.map(async (name) => [name, await fullEnvironment(name, all)]))
    const hooks = all.watch(shared[0]!)
    const host = hostProcess('together', Object.fromEntries(environments), { ...all, ready: async () => true, hooks })
    for (const name of shared) made.set(name, new Member(name, host, ready(name)))
  }
  for (const name of names) {
    if (made.has(name)) continue
    const env = await fullEnvironment(name, all)
    const each = { ...all, ready: ready(name), hooks: all.watch(name) }
    const isHosted = options.reuse && keptProcesses() && !options.entries?.[name] && name !== 'demo-shop'
    const file = options.entries?.[name] ?? fileOf(name)
    made.set(
      name,
      isHosted ? hostProcess(name, { [name]: env }, each) : new Child(childSpec(name, { ...each, file, env })),
    )
  }
  return made
}

/** Room for young objects: with V8's default a fifth of a test run's CPU time collects garbage. */
const youngObjects = ['--max-semi-space-size=64']

/** A process that loads a module by request. */
function hostProcess(
  name: string,
  environments: Environments,
  options: Omit<ChildOptions, 'file' | 'env'>,
): HostProcess {
  const file = 'packages/dev-env/src/together/main.ts'
  const spec = childSpec(name, { ...options, file, env: hostEnvironment(options.root) })
  return new HostProcess({ ...spec, args: [...youngObjects, ...spec.args] }, environments)
}

/** The environment of a process that loads several services: it finds the bundles of what it loads. */
export function hostEnvironment(root?: string): Record<string, string> {
  const programs = process.env[programsVariable]
  return { ...machineEnvironment(root), ...(programs && !process.env.DEBUG ? { [programsVariable]: programs } : {}) }
}

interface ChildOptions extends NodeProcessesOptions {
  /** Below the project's root. */
  file: string
  env: Record<string, string>
  ready: () => Promise<boolean>
  hooks: Hooks
}

function childSpec(name: string, { file, env, ready, hooks, options, root, logDir }: ChildOptions): ChildSpec {
  const { onProgress, logs } = options
  const show = (line: string) => {
    const warning = logs === 'pretty' ? warningOf(line) : undefined
    if (warning) onProgress?.(`${name}: ${warning}`)
  }
  return {
    name,
    command: process.execPath,
    args: [programPath(file, root)],
    env,
    cwd: root,
    logFile: join(logDir, `${name}.log`),
    ipc: true,
    stopSignal: 'SIGTERM',
    ready,
    onLine: show,
    ...hooks,
  }
}

async function fullEnvironment(
  name: NodeProcess,
  { wiring, root, options: { env = {} } }: NodeProcessesOptions,
): Promise<Record<string, string>> {
  return { ...machineEnvironment(root), ...(await environmentOf(name, wiring)), ...env.all, ...env[name] }
}

/** Asked every few milliseconds while the services start: `fetch` would take a second of CPU time meanwhile. */
async function answersReady(url: string): Promise<boolean> {
  const { host, hostname, port } = new URL(url)
  const say = `GET /readyz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
  const answer = await greeting({ host: hostname, port: Number(port), say, timeoutMs: 2000 })
  return answer.startsWith('HTTP/1.1 200 ')
}

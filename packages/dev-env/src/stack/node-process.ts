import { join } from 'node:path'
import { Child } from '../infrastructure/child-process.ts'
import type { NodeProcess } from './process-names.ts'
import { baseUrl, environmentOf, fileOf, type Wiring } from './process-table.ts'
import type { StackOptions } from './stack-options.ts'
import { warningOf } from './warnings.ts'

interface NodeProcessOptions {
  name: NodeProcess
  wiring: Wiring
  options: StackOptions
  root: string
  logDir: string
  onStart: (pid: number) => void
  onEnd: (pid: number) => void
  onCrash: (how: string) => void
}

/** Prepares one Node process of the stack; it is not started yet. */
export async function createNodeProcess({
  name,
  wiring,
  options,
  root,
  logDir,
  ...hooks
}: NodeProcessOptions): Promise<Child> {
  const { env = {}, entries = {}, onProgress, logs } = options
  const show = (line: string) => {
    const warning = logs === 'pretty' ? warningOf(line) : undefined
    if (warning) onProgress?.(`${name}: ${warning}`)
  }
  return new Child({
    name,
    command: process.execPath,
    args: [join(root, entries[name] ?? fileOf(name))],
    env: { ...inherited(root), ...(await environmentOf(name, wiring)), ...env.all, ...env[name] },
    cwd: root,
    logFile: join(logDir, `${name}.log`),
    ipc: true,
    stopSignal: 'SIGTERM',
    ready: () => answersReady(baseUrl(wiring, name)),
    onLine: show,
    ...hooks,
  })
}

async function answersReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) })
  await response.body?.cancel()
  return response.status === 200
}

/** What a process takes from our own environment: the machine's, and the user's wishes about telemetry. */
function inherited(root: string): Record<string, string> {
  const machine = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS']
  const passed = Object.entries(process.env).filter(([name]) => machine.includes(name) || name.startsWith('OTEL_'))
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, '.local', 'compile-cache'),
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  environmentOf,
  eventually,
  fileOf,
  machineEnvironment,
  programPath,
  type TestEnv,
} from '../../../packages/dev-env/src/index.ts'

/** A second process of inbox-stream. */
export interface Replica {
  url: string
  child: ChildProcess
  end(signal: NodeJS.Signals): Promise<void>
}

export async function startReplica(env: TestEnv, variables: Record<string, string> = {}): Promise<Replica> {
  const child = spawn(process.execPath, [programPath(fileOf('inbox-stream'))], {
    env: {
      ...machineEnvironment(),
      ...(await environmentOf('inbox-stream', env.stack.wiring)),
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const port = await eventually(() => {
    const found = /"port":(\d+).*"msg":"listening"|"msg":"listening".*"port":(\d+)/.exec(text)
    if (!found || !text.includes('"msg":"ready"')) throw new Error(`the replica is not ready: ${text}`)
    return found[1] ?? found[2]
  }).catch((error: unknown) => {
    // Jest waits for whoever holds its output.
    child.kill('SIGKILL')
    throw error
  })
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

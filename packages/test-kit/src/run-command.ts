import { spawnSync } from 'node:child_process'
import {
  environmentOf,
  fileOf,
  machineEnvironment,
  patienceMs,
  programPath,
  type ServiceProcess,
  type TestEnv,
} from '@notify/dev-env'

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
    timeout: patienceMs,
  })
  return { status, output: stdout + stderr }
}

import { spawn } from 'node:child_process'
import { messageOf } from '../startup-error.ts'
import type { Step } from './package-managers.ts'

/** Runs the steps in order and reports progress every ten seconds. @returns the last line of a failed step, if any failed */
export async function runInstaller(steps: Step[], onProgress: (text: string) => void): Promise<string | undefined> {
  let failure: string | undefined
  for (const { command, optional } of steps) {
    const failed = await runStep(command, onProgress)
    if (!failed) continue
    failure = failed
    if (!optional) return failure
  }
  return failure
}

async function runStep(
  [command = '', ...args]: string[],
  onProgress: (text: string) => void,
): Promise<string | undefined> {
  const said = [command, ...args].join(' ')
  onProgress(said)
  const sign = setInterval(() => onProgress(`… ${said}: ${lines.at(-1) ?? 'still running'}`), 10_000)
  const lines: string[] = []
  try {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) =>
        lines.push(
          ...String(chunk)
            .split('\n')
            .filter((line) => line.trim() !== ''),
        ),
      )
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return code === 0
      ? undefined
      : (lines.findLast((line) => /^(E:|Error|error|npm error code)/.test(line)) ?? lines.at(-1) ?? `exit code ${code}`)
  } catch (error) {
    return messageOf(error)
  } finally {
    clearInterval(sign)
  }
}

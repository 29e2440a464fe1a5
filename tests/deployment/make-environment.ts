import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './project.ts'

export interface Made {
  /** What .env says. */
  values: Record<string, string>
  bootstrap: unknown
  /** What was printed. */
  output: string
}

export function runMakeEnv(folder: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, 'infra/make-env.mjs'), folder], { encoding: 'utf8' })
}

/** Runs infra/make-env.mjs in a folder of its own, and reads what it wrote. */
export function makeEnvironment(): Made {
  const folder = mkdtempSync(join(tmpdir(), 'make-env-'))
  try {
    const { stdout, stderr } = runMakeEnv(folder)
    if (stderr) throw new Error(stderr)
    return { ...readMade(folder), output: stdout }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export function readMade(folder: string): Omit<Made, 'output'> {
  const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n')
  return {
    values: Object.fromEntries(lines.filter((line) => /^[A-Z]/.test(line)).map(split)),
    bootstrap: JSON.parse(readFileSync(join(folder, '.local/compose/bootstrap.json'), 'utf8')),
  }
}

/** Between single quotes compose takes everything as it stands. */
function split(line: string): [string, string] {
  const [, name, value] = /^([A-Z_]+)='([^']*)'$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`compose cannot read ${line.split('=')[0]}`)
  return [name, value]
}

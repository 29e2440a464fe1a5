import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './project.ts'

export interface Made {
  /** What .env says. */
  values: Record<string, string>
  bootstrap: unknown
  /** Where the document is. */
  bootstrapFile: string
}

export function runMakeEnv(folder: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, 'packages/dev-env/src/compose/make-env.ts'), folder], {
    encoding: 'utf8',
  })
}

/** Runs `npm run make-env` in a folder of its own, and reads what it wrote. */
export function makeEnvironment(): Made & { remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'make-env-'))
  const { stderr } = runMakeEnv(folder)
  if (stderr) throw new Error(stderr)
  return { ...readMade(folder), remove: () => rmSync(folder, { recursive: true }) }
}

export function readMade(folder: string): Made {
  const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n')
  const values = Object.fromEntries(lines.filter((line) => /^[A-Z]/.test(line)).map(split))
  const bootstrapFile = join(folder, values.BOOTSTRAP_FILE!)
  return { values, bootstrapFile, bootstrap: JSON.parse(readFileSync(bootstrapFile, 'utf8')) }
}

/** Between single quotes compose takes everything as it stands. */
function split(line: string): [string, string] {
  const [, name, value] = /^([A-Z_]+)='([^']*)'$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`compose cannot read ${line.split('=')[0]}`)
  return [name, value]
}

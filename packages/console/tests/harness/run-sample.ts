import { execFile } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { LanguageKey } from '../../src/pages/get-started/samples.ts'

interface Tool {
  program: string
  /** The arguments before the file. */
  args: readonly string[]
  file: string
}

const tools: Record<LanguageKey, Tool> = {
  curl: { program: 'curl', args: [], file: 'send.sh' },
  node: { program: process.execPath, args: [], file: 'send.mjs' },
  python: { program: 'python3', args: [], file: 'send.py' },
  go: { program: 'go', args: ['run'], file: 'send.go' },
  php: { program: 'php', args: [], file: 'send.php' },
}

/** Whether this machine can run the samples of a language. */
export function canRun(language: LanguageKey): boolean {
  const { program } = tools[language]
  return (
    (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, program))) ||
    isExecutable(program)
  )
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Runs a sample as its instructions say. @returns what it prints */
export async function runSample(language: LanguageKey, code: string, key: string): Promise<string> {
  const { program, args, file } = tools[language]
  const folder = mkdtempSync(join(tmpdir(), 'sample-'))
  try {
    const path = join(folder, file)
    writeFileSync(path, code)
    const command = language === 'curl' ? 'sh' : program
    const env = { ...process.env, NOTIFY_KEY: key, NODE_OPTIONS: '' }
    const { stdout } = await promisify(execFile)(command, [...args, path], { env, cwd: folder })
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

import { renameSync, writeFileSync } from 'node:fs'

/** Writes JSON atomically with mode 0600. */
export function writeSecretFile(file: string, content: unknown): void {
  const half = `${file}.${process.pid}`
  writeFileSync(half, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(half, file)
}

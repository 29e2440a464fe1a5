import { renameSync, writeFileSync } from 'node:fs'

/** Writes JSON for the owner's eyes only; a reader finds the old content or the new, never half of it. */
export function writeSecretFile(file: string, content: unknown): void {
  const half = `${file}.${process.pid}`
  writeFileSync(half, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(half, file)
}

import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A hash of the names and contents of all files that a build reads. @param sources patterns below the root */
export function fingerprint(root: string, sources: readonly string[]): string {
  const hash = createHash('sha256').update(process.version)
  const isFile = (path: string) => /\.\w+$/.test(path)
  for (const path of globSync(sources, { cwd: root }).filter(isFile).sort()) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}

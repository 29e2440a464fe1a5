import { readFile } from 'node:fs/promises'
import { BootstrapDocument } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { saveFirst } from './application-store.ts'

/**
 * Keeps the applications that an installation starts with; the same file may be loaded at every start, by every replica.
 * @throws Error when the file cannot be read or does not fit its schema
 */
export async function loadBootstrap(db: Queries, file: string): Promise<void> {
  const { applications } = BootstrapDocument.parse(JSON.parse(await readFile(file, 'utf8')))
  for (const application of applications) await saveFirst(db, application)
}

import { loadAtStart, type Queries } from '@notify/database'
import { type Kit, readBootstrapFile } from '@notify/service-kit'
import { saveFirst } from './application-store.ts'

/**
 * Stores the applications that an installation starts with. Idempotent, so every replica may load the file at every start.
 * @throws Error when the file cannot be read or does not fit its schema
 */
export async function loadBootstrap(kit: Kit, db: Queries, file: string): Promise<void> {
  const { applications } = await readBootstrapFile(file)
  await loadAtStart(kit, db, async (run) => {
    for (const application of applications) await saveFirst(run, application)
  })
}

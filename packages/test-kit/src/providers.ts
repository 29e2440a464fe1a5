import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BootstrapDocument } from '@notify/contracts'
import type { TestEnv } from '@notify/dev-env'

type ProviderEntry = BootstrapDocument['providers'][number]

/** Changes the installation's providers as an installation does: by its bootstrap document. */
export async function changeProviders(
  env: TestEnv,
  change: (providers: readonly ProviderEntry[]) => readonly ProviderEntry[],
): Promise<void> {
  const file = join(env.stack.dataDir, 'bootstrap.json')
  const document: BootstrapDocument = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...document, providers: change(document.providers) }))
  await env.restart('dispatch-api')
}

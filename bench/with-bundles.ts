import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { bundleImage } from '@notify/bundle'
import type { ServiceName } from '@notify/contracts'
import { mallocSettings } from '@notify/dev-env'

const root = join(import.meta.dirname, '..')

/** Services as their images run them. */
export interface Bundles {
  /** The program of a service, for `entries` of a stack. */
  entryOf(service: ServiceName): string
  /** Variables as in infra/Dockerfile; the first start of each process fills the cache of compiled code. */
  env: Record<string, string>
}

/** Builds the bundles of services in a temporary folder for the work. */
export async function withBundles<T>(
  services: readonly ServiceName[],
  work: (bundles: Bundles) => Promise<T>,
): Promise<T> {
  mkdirSync(join(root, '.local'), { recursive: true })
  const out = mkdtempSync(join(root, '.local', 'bundles-'))
  try {
    for (const service of services) await bundleImage(service, join(out, service))
    const env = { NODE_OPTIONS: '--enable-source-maps', NODE_COMPILE_CACHE: join(out, '.compile-cache') }
    return await work({
      entryOf: (service) => join(relative(root, out), service, 'main.mjs'),
      env: { ...env, ...mallocSettings },
    })
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

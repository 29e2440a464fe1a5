import { join } from 'node:path'
import type { BuildOptions } from 'esbuild'

export const root = join(import.meta.dirname, '..', '..', '..')

/** Packages in CommonJS expect these names. */
const commonNames = [
  `const require = globalThis.process.getBuiltinModule('node:module').createRequire(import.meta.url)`,
  'const __filename = import.meta.filename, __dirname = import.meta.dirname',
].join('\n')

/** What bundles of images and of tests have in common. */
export const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // What is imported on demand stays a file of its own, and is read on demand.
  splitting: true,
  chunkNames: 'chunk-[hash]',
  legalComments: 'none',
  // Native parts that are optional: without them pg and piscina do as well.
  external: ['pg-native', '@napi-rs/nice'],
  banner: { js: commonNames },
  logLevel: 'warning',
}

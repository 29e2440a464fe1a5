import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * Gives the catalogue of contracts an index of its own. It lists all contracts, and esbuild would keep all of them in the file that
 * both it and the service import from: a service that needs a few would make the schemas of all when it starts.
 */
export const catalogueApart: Plugin = {
  name: 'catalogue-apart',
  setup(build) {
    build.onResolve({ filter: /^\.\/index\.ts$/ }, ({ path, importer }) =>
      importer.endsWith('/packages/contracts/src/catalogue.ts')
        ? { path: join(dirname(importer), path), suffix: '?catalogue', sideEffects: false }
        : null,
    )
  },
}

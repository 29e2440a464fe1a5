import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { common } from './bundle-options.ts'
import { images } from './images.ts'
import { leaveOut } from './leave-out.ts'
import { plainBuiltins } from './plain-builtins.ts'
import { sourcePaths } from './source-paths.ts'

/**
 * Bundles programs that run beside their sources: loading them costs a third of the CPU time. What they have in common is
 * loaded once by a process that runs several.
 * @param sources relative to the root of the workspace; the bundle of `a/b.ts` is `a/b.js` below `out`
 */
export async function bundlePrograms(sources: readonly string[], out: string): Promise<void> {
  const entryPoints = sources.map((source) => ({ in: source, out: source.replace(/\.ts$/, '') }))
  // Piscina looks for it beside itself.
  const worker = { in: images.dispatch!.programs['worker.js']!, out: 'worker' }
  await build({
    ...common,
    // Libraries and tests go by the names of classes.
    keepNames: true,
    entryPoints: [...entryPoints, worker],
    outdir: out,
    plugins: [leaveOut(''), sourcePaths, plainBuiltins],
  })
  await writeFile(join(out, 'package.json'), '{ "type": "module" }\n')
}

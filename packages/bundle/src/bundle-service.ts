import { existsSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { keepPlaces } from './keep-places.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Packages in CommonJS expect these names. */
const commonNames = [
  `import { createRequire as _createRequire } from 'node:module'`,
  'const require = _createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname',
].join('\n')

const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  sourcemap: true,
  // The sources are in the repository of the release.
  sourcesContent: false,
  minifySyntax: true,
  minifyWhitespace: true,
  // Native parts that are optional: without them pg and piscina do as well.
  external: ['pg-native', '@napi-rs/nice'],
  banner: { js: commonNames },
  logLevel: 'warning',
}

/** Files that a service starts in threads or serves, beside its own. */
const beside: Record<string, (folder: string, outFolder: string) => Promise<unknown>> = {
  async dispatch(folder, outFolder) {
    const worker = 'src/rendering/render-worker'
    await build({ ...common, entryPoints: [join(folder, `${worker}.ts`)], outfile: join(outFolder, `${worker}.mjs`) })
    // Piscina looks for it beside itself, which is the bundle.
    const piscina = dirname(createRequire(join(folder, 'package.json')).resolve('piscina'))
    await build({ ...common, entryPoints: [join(piscina, 'worker.js')], outfile: join(outFolder, 'worker.js') })
    await writeFile(join(outFolder, 'package.json'), '{ "type": "module" }\n')
  },
  /** The browser's script of the API reference is served, not run. */
  async gateway(folder, outFolder) {
    const from = join(folder, 'node_modules/@scalar/api-reference')
    const to = join(outFolder, 'node_modules/@scalar/api-reference')
    for (const file of ['package.json', 'dist/index.js', 'dist/browser/standalone.js']) {
      await mkdir(dirname(join(to, file)), { recursive: true })
      await cp(join(from, file), join(to, file))
    }
  },
}

/**
 * Bundles a service into `<out>/services/<service>/main.mjs` with its source map: the layout of the workspace, where an image has `content` and
 * the console too.
 */
export async function bundleService(service: string, out: string): Promise<void> {
  const folder = join(root, 'services', service)
  if (!existsSync(join(folder, 'src/main.ts'))) throw new Error(`there is no service ${service}`)
  const place = join('services', service)
  await build({
    ...common,
    entryPoints: [join(folder, 'src/main.ts')],
    outfile: join(out, place, 'main.mjs'),
    plugins: [keepPlaces(root, place)],
  })
  await beside[service]?.(folder, join(out, place))
}

// Builds a package for a registry: `node scripts/build-package.ts packages/inbox-client [folder]` writes ESM, types and a
// manifest of its own into the folder, by default `dist`. Publish that folder, not the package's.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')

interface Manifest {
  exports: Record<string, string>
  version: string
  [field: string]: unknown
}

/**
 * Compiles the package into `folder`, which is emptied first.
 * @param repository its address on the web: npm refuses a provenance of another repository than the manifest names
 * @throws Error when it does not compile
 */
export function buildPackage(source: string, folder = join(source, 'dist'), repository?: string): void {
  rmSync(folder, { recursive: true, force: true })
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', join(source, 'tsconfig.build.json'), '--outDir', folder], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const sources = join(source, 'src')
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.css')) copyFileSync(join(sources, file), join(folder, file))
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
  const directory = relative(root, source)
  for (const name of ['README.md', 'CHANGELOG.md']) {
    const text = readFileSync(join(source, name), 'utf8')
    const pages = repository && `${repository}/blob/v${manifest.version}`
    writeFileSync(join(folder, name), pages ? withWholeLinks(text, directory, pages) : text)
  }
  const published = {
    ...publishedManifest(manifest),
    ...(repository && { repository: { type: 'git', url: `git+${repository}.git`, directory } }),
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** A registry's page does not have the files beside the README. */
function withWholeLinks(text: string, directory: string, pages: string): string {
  return text.replaceAll(/\]\((?!https:|#)([^)]+)\)/g, (_link, path: string) => `](${pages}/${join(directory, path)})`)
}

/** The manifest of the build: its exports name the compiled files. */
function publishedManifest({ private: _private, devDependencies: _tools, exports, ...manifest }: Manifest): object {
  return {
    ...manifest,
    exports: Object.fromEntries(Object.entries(exports).map(([name, file]) => [name, built(file)])),
  }
}

function built(file: string): string | { types: string; default: string } {
  const path = `./${relative('src', file)}`
  if (!/\.tsx?$/.test(path)) return path
  const name = path.replace(/\.tsx?$/, '')
  return { types: `${name}.d.ts`, default: `${name}.js` }
}

if (import.meta.main) {
  const [source, folder] = process.argv.slice(2)
  if (!source) throw new Error('Which package? For example: node scripts/build-package.ts packages/inbox-client')
  buildPackage(resolve(source), folder && resolve(folder))
}

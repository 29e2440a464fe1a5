import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { publint } from 'publint'
import { buildPackage } from '../../../scripts/build-package.ts'

const source = join(import.meta.dirname, '..')
const maxCoreBytes = 5 * 1024

/** The package as a registry gets it, built beside its dependencies. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(source, 'node_modules', '.built-'))
  buildPackage(source, folder)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Everything that a page loads for an entry, minified. */
async function bundle(entry: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    external: ['react', 'react/jsx-runtime'],
  })
  const [input] = Object.values(metafile.outputs)
  const loaded = [...Object.keys(metafile.inputs), ...input!.imports.map(({ path }) => path)]
  const foreign = loaded.filter((path) => !path.includes('.built-'))
  const packages = foreign.map((path) => /node_modules\/([^/.][^/]*)(?!.*node_modules)/.exec(path)?.[1] ?? path)
  return { bytes: gzipSync(outputFiles[0]!.contents, { level: 9 }).length, packages: [...new Set(packages)] }
}

test(`the core takes less than ${maxCoreBytes / 1024} KB gzipped, and needs eventsource-parser alone`, async () => {
  const { bytes, packages } = await bundle('index.js')
  expect(packages).toEqual(['eventsource-parser'])
  expect(bytes).toBeLessThan(maxCoreBytes)
})

test.each(['react/use-inbox.js', 'react/inbox.js'])('%s needs React besides, and no more', async (entry) => {
  const { packages } = await bundle(entry)
  expect(packages.filter((name) => !name.startsWith('react'))).toEqual([])
})

test('publint finds nothing to object to', async () => {
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: false })
  expect(messages).toEqual([])
})

test('attw finds nothing to object to in what ES modules and bundlers see', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'notify-package-'))
  try {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', folder, '--json', '--pack-destination', temporary], { encoding: 'utf8' }),
    )
    const tarball = createPackageFromTarballData(readFileSync(join(temporary, packed.filename)))
    const result = await checkPackage(tarball, { excludeEntrypoints: ['./inbox.css'] })
    if (!result.types) throw new Error('the package has no types')
    // The package is ESM only, and says what it is through `exports`, which the oldest resolution does not read.
    const ours = result.problems.filter(
      (problem) => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
    )
    expect(ours).toEqual([])
    expect(Object.keys(result.entrypoints)).toEqual(['.', './react', './inbox'])
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}, 60_000)

test('what is published names no workspace, and no tool', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  expect(JSON.stringify(manifest)).not.toContain('workspace:')
  expect([manifest.private, manifest.devDependencies]).toEqual([undefined, undefined])
})

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { testPublishedPackage } from '@notify/test-kit/published-package'
import { build } from 'esbuild'

const maxCoreBytes = 5.6 * 1024

const built = testPublishedPackage(join(import.meta.dirname, '..'), {
  entrypoints: ['.', './react', './inbox', './preferences', './preferences-store'],
  untyped: ['./inbox.css'],
  dependencies: ['eventsource-parser'],
})

/** Everything that a page loads for an entry, minified. */
async function bundle(entry: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(built.folder, entry)],
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

test.each(['create-preferences.js', 'react/index.js', 'react/inbox.js', 'react/preferences.js'])(
  'besides, %s needs only React',
  async (entry) => {
    const { packages } = await bundle(entry)
    expect(packages.filter((name) => !name.startsWith('react'))).toEqual([])
  },
)

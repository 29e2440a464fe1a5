import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { publint } from 'publint'
import { buildPackage } from '../../../scripts/build-package.ts'

const repository = 'https://github.com/example/notify'

interface Published {
  /** Entry points with types. */
  entrypoints: readonly string[]
  /** Entry points without types, such as style sheets. */
  untyped?: readonly string[]
  dependencies: readonly string[]
}

/**
 * Builds a package as a registry gets it, beside its dependencies, and declares the tests that each has to pass.
 * @returns where it is built, once the tests run
 */
export function testPublishedPackage(source: string, { entrypoints, untyped = [], dependencies }: Published) {
  const built = { folder: '' }
  beforeAll(() => {
    built.folder = mkdtempSync(join(source, 'node_modules', '.built-'))
    buildPackage(source, built.folder, repository)
  })
  afterAll(() => rmSync(built.folder, { recursive: true, force: true }))

  test('publint finds nothing to object to', async () => {
    const { messages } = await publint({ pkgDir: built.folder, strict: true, pack: false })
    expect(messages).toEqual([])
  })

  test('attw finds nothing to object to in what ES modules and bundlers see', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'notify-package-'))
    try {
      const [packed] = JSON.parse(
        execFileSync('npm', ['pack', built.folder, '--json', '--pack-destination', temporary], { encoding: 'utf8' }),
      )
      const tarball = createPackageFromTarballData(readFileSync(join(temporary, packed.filename)))
      const result = await checkPackage(tarball, { excludeEntrypoints: [...untyped] })
      if (!result.types) throw new Error('the package has no types')
      // The package is ESM only, and says what it is through `exports`, which the oldest resolution does not read.
      const ours = result.problems.filter(
        (problem) => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
      )
      expect(ours).toEqual([])
      expect(Object.keys(result.entrypoints)).toEqual(entrypoints)
    } finally {
      rmSync(temporary, { recursive: true, force: true })
    }
  })

  test('the manifest names the repository that npm compares with the provenance, and links lead there', () => {
    const read = (name: string) => readFileSync(join(built.folder, name), 'utf8')
    const { repository: named, version } = JSON.parse(read('package.json'))
    const directory = `packages/${basename(source)}`
    expect(named).toEqual({ type: 'git', url: `git+${repository}.git`, directory })
    const links = ['README.md', 'CHANGELOG.md'].flatMap((name) => [...read(name).matchAll(/\]\(([^)]+)\)/g)])
    expect(links.map(([, target]) => target)).toContain(`${repository}/blob/v${version}/CHANGELOG.md`)
    expect(links.filter(([, target]) => !target!.startsWith('https://'))).toEqual([])
    expect(read('CHANGELOG.md')).toContain(`\n## [${version}] - `)
  })

  test('published files name no workspace and no tool', () => {
    const manifest = JSON.parse(readFileSync(join(built.folder, 'package.json'), 'utf8'))
    expect(JSON.stringify(manifest)).not.toContain('workspace:')
    expect(Object.keys(manifest.dependencies)).toEqual(dependencies)
    expect([manifest.private, manifest.devDependencies]).toEqual([undefined, undefined])
  })
  return built
}

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { publint } from 'publint'
import { buildPackage } from '../../../scripts/build-package.ts'

const source = join(import.meta.dirname, '..')

/** The package as a registry gets it, built beside its dependencies. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(source, 'node_modules', '.built-'))
  buildPackage(source, folder)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
    const result = await checkPackage(createPackageFromTarballData(readFileSync(join(temporary, packed.filename))))
    if (!result.types) throw new Error('the package has no types')
    // The package is ESM only, and says what it is through `exports`, which the oldest resolution does not read.
    const ours = result.problems.filter(
      (problem) => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
    )
    expect(ours).toEqual([])
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}, 60_000)

test('what is published names no workspace, and no tool', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  expect(JSON.stringify(manifest)).not.toContain('workspace:')
  expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch'])
  expect([manifest.private, manifest.devDependencies]).toEqual([undefined, undefined])
})

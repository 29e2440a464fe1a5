import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { filesBelow, importsOf, isSource, isTest, packages, readText, services, sourcesOf } from './sources.ts'

const packageName = (folder: string) => JSON.parse(readText(`${folder}/package.json`)).name as string

/** The target of an import: one of our folders (`services/otp`), or the specifier. */
function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(file, '..', specifier).split('/').slice(0, 2).join('/')
  return byName.get(specifier.split('/').slice(0, 2).join('/')) ?? specifier
}
const byName = new Map(
  [...services.map((name) => `services/${name}`), ...packages.map((name) => `packages/${name}`)].map((folder) => [
    packageName(folder),
    folder,
  ]),
)

const targetsOf = (file: string) => importsOf(file).map((specifier) => targetOf(file, specifier))

test('imports are read however they are written', () => {
  const found = importsOf('tests/architecture/imports.test.ts')
  expect(found).toEqual(expect.arrayContaining(['node:path', '@jest/globals', './sources.ts']))
  expect(targetOf('services/otp/src/codes/make-code.ts', '../../../consent/src/main.ts')).toBe('services/consent')
  expect(targetOf('services/otp/src/codes/make-code.ts', '@notify/contracts')).toBe('packages/contracts')
})

test.each(services)('%s imports no other service, not even in its tests', (service) => {
  const files = filesBelow(`services/${service}`).filter(isSource)
  const foreign = files.filter((file) =>
    targetsOf(file).some((target) => target.startsWith('services/') && target !== `services/${service}`),
  )
  expect(foreign).toEqual([])
})

test.each(services)('%s knows nothing of the development tools in what it runs', (service) => {
  const development = ['packages/dev-env', 'packages/carrier-sandbox', 'packages/test-kit']
  const files = sourcesOf(`services/${service}`)
  expect(files.filter((file) => targetsOf(file).some((target) => development.includes(target)))).toEqual([])
})

test('no test imports from the tests of another folder: what tests share lives in packages/test-kit', () => {
  const room = (path: string) => /^(?:(?:services|packages)\/[^/]+|tests\/[^/]+|bench)/.exec(path)?.[0]
  const files = ['services', 'packages', 'tests', 'bench'].flatMap(filesBelow).filter(isSource)
  const foreign = files.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => join(file, '..', specifier))
      .filter((target) => isTest(target) && room(target) !== room(file))
      .map((target) => `${file}: ${target}`),
  )
  expect(foreign).toEqual([])
})

test.each([...services.map((name) => `services/${name}`), ...packages.map((name) => `packages/${name}`)])(
  '%s declares each of our packages that it imports: tests find all of them through the root',
  (folder) => {
    const { name, dependencies = {} } = JSON.parse(readText(`${folder}/package.json`))
    const named = sourcesOf(folder)
      .flatMap(importsOf)
      .filter((specifier) => specifier.startsWith('@notify/'))
    const imported = new Set(named.map((specifier) => specifier.split('/', 2).join('/')))
    expect([...imported].filter((each) => each !== name && !(each in dependencies))).toEqual([])
  },
)

test('no package imports a service', () => {
  const files = packages.flatMap((name) => filesBelow(`packages/${name}`)).filter(isSource)
  expect(files.filter((file) => targetsOf(file).some((target) => target.startsWith('services/')))).toEqual([])
})

test('contracts import zod and themselves, nothing else', () => {
  const targets = sourcesOf('packages/contracts').flatMap(targetsOf)
  expect(targets).toContain('zod')
  expect([...new Set(targets)].filter((target) => target !== 'zod' && target !== 'packages/contracts')).toEqual([])
})

test('privacy imports Node, itself and a cache: secrets go through nothing else', () => {
  const known = ['packages/privacy', 'lru-cache']
  const targets = sourcesOf('packages/privacy').flatMap(targetsOf)
  expect([...new Set(targets)].filter((target) => !target.startsWith('node:') && !known.includes(target))).toEqual([])
})

test.each([
  ['service-kit', ['packages/contracts']],
  ['carriers', ['packages/contracts', 'packages/privacy', 'packages/service-kit', 'packages/egress-guard']],
  ['messaging', ['packages/contracts', 'packages/privacy', 'packages/service-kit']],
  ['database', ['packages/contracts', 'packages/privacy', 'packages/service-kit', 'packages/messaging']],
])('%s stands only on what is below it', (name, below) => {
  const targets = sourcesOf(`packages/${name}`).flatMap(targetsOf)
  const ours = [...new Set(targets)].filter((target) => /^(packages|services)\//.test(target))
  expect(ours.filter((target) => target !== `packages/${name}` && !below.includes(target))).toEqual([])
})

test('an import with a file ending names an existing file: .ts in our own sources', () => {
  const files = [...services.map((name) => `services/${name}`), ...packages.map((name) => `packages/${name}`)]
    .flatMap(filesBelow)
    .filter((path) => /\.ts$/.test(path) && !isTest(path))
  const extensionless = files.filter((file) =>
    importsOf(file).some((specifier) => specifier.startsWith('.') && !/\.\w+$/.test(specifier)),
  )
  expect(extensionless).toEqual([])
})

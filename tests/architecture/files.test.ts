import { basename } from 'node:path'
import { expect, test } from '@jest/globals'
import { filesBelow, isSource, isTest, packages, readText, services, sourcesOf } from './sources.ts'

const everyService = ['config.ts', 'context.ts', 'main.ts', 'routes.ts', 'service.ts']
const whereUsed = ['consumers.ts', 'metrics.ts']
const longest = 250

const own = [...services.map((name) => `services/${name}`), ...packages.map((name) => `packages/${name}`)]

test.each(services)('%s has the same root files as every service, and no others', (service) => {
  const rootFiles = sourcesOf(`services/${service}`)
    .map((path) => path.slice(`services/${service}/src/`.length))
    .filter((path) => !path.includes('/'))
  expect(rootFiles).toEqual(expect.arrayContaining(everyService))
  expect(rootFiles.filter((file) => !everyService.includes(file) && !whereUsed.includes(file))).toEqual([])
})

test.each(services)('%s starts its consumers when it has any, and only then has a table of them', (service) => {
  const starts = readText(`services/${service}/src/service.ts`).includes('startConsumers(')
  expect(sourcesOf(`services/${service}`).includes(`services/${service}/src/consumers.ts`)).toBe(starts)
})

test.each(services)('the folders of %s are at most two deep', (service) => {
  const tooDeep = filesBelow(`services/${service}/src`).filter((path) => path.split('/').length > 3 + 3)
  expect(tooDeep).toEqual([])
})

test.each(services)('main.ts of %s only starts it', (service) => {
  expect(readText(`services/${service}/src/main.ts`).trimEnd().split('\n').length).toBeLessThanOrEqual(10)
})

test('no service hides its files behind an index', () => {
  expect(
    services.flatMap((name) => filesBelow(`services/${name}/src`)).filter((path) => /\/index\.\w+$/.test(path)),
  ).toEqual([])
})

test('no file or folder is a drawer for whatever fits nowhere else', () => {
  const drawer = /^(utils?|common|helpers?|manager|base|misc|shared)$|-(utils?|helpers?|manager)$|^(base|common)-/
  const parts = (path: string) => path.split('/').slice(2)
  const drawers = own
    .flatMap(filesBelow)
    .filter((path) => isSource(path) && parts(path).some((part) => drawer.test(part.replace(/\..*$/, ''))))
  expect(drawers).toEqual([])
})

test('files are named in kebab-case', () => {
  const badly = own
    .flatMap(filesBelow)
    .filter((path) => isSource(path) && !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)+$/.test(basename(path)))
  expect(badly.filter((path) => !path.startsWith('packages/console/'))).toEqual([])
})

test(`no source file has more than ${longest} lines`, () => {
  const sources = [...own, 'scripts', 'bench'].flatMap(filesBelow).filter((path) => isSource(path) && !isTest(path))
  expect(sources.length).toBeGreaterThan(100)
  const written = sources.filter((path) => !readText(path).startsWith('// Generated'))
  const long = written.filter((path) => readText(path).split('\n').length - 1 > longest)
  expect(long).toEqual([])
})

test('a service exports by name only', () => {
  const sources = services.flatMap((name) => sourcesOf(`services/${name}`))
  expect(sources.filter((path) => /^export default\b/m.test(readText(path)))).toEqual([])
})

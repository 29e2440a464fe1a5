import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { buildConsole } from '../src/index.ts'

/** In the place of Vite: copies the page into the output, as long as the page can be built. */
const bundler = `
import { appendFileSync, cpSync, readFileSync } from 'node:fs'
appendFileSync('builds', 'x')
if (readFileSync('src/page.ts', 'utf8').includes('broken')) throw new Error('page.ts cannot be read')
cpSync('src/page.ts', process.argv[process.argv.indexOf('--outDir') + 1] + '/page.js')
`

let root: string
const said: string[] = []
const pathOf = (path: string) => join(root, 'packages/console', path)
const write = (path: string, text: string) => {
  mkdirSync(dirname(pathOf(path)), { recursive: true })
  writeFileSync(pathOf(path), text)
}
const start = () => buildConsole(root, (text) => said.push(text))
const builds = () => (existsSync(pathOf('builds')) ? readFileSync(pathOf('builds'), 'utf8').length : 0)
const built = () => readFileSync(pathOf('dist/page.js'), 'utf8')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'notify-build-'))
  said.length = 0
  write('package.json', '{"type":"module"}')
  write('vite.config.ts', '')
  write('index.html', '<title>Console</title>')
  write('src/page.ts', 'first')
  write('node_modules/vite/package.json', '{"type":"module"}')
  write('node_modules/vite/bin/vite.js', bundler)
})
afterEach(() => rmSync(root, { recursive: true }))

test('a second start does not build again; a changed, a new and a removed source do', async () => {
  await start()
  await start()
  expect([builds(), said]).toEqual([1, ['building the console']])
  write('src/page.ts', 'second')
  await start()
  expect([builds(), built()]).toEqual([2, 'second'])
  write('src/pages/added.tsx', '')
  await start()
  rmSync(pathOf('src/pages/added.tsx'))
  await start()
  await start()
  expect(builds()).toBe(4)
})

test('a build that fails says why, leaves the one before, and is tried again at the next start', async () => {
  await start()
  write('src/page.ts', 'broken')
  await expect(start()).rejects.toThrow('page.ts cannot be read')
  expect(built()).toBe('first')
  write('src/page.ts', 'mended')
  await start()
  expect(built()).toBe('mended')
  expect(readdirSync(pathOf('node_modules'))).toEqual(['vite'])
})

test('starts at the same moment leave one whole build', async () => {
  await Promise.all([start(), start(), start()])
  expect(built()).toBe('first')
  await start()
  expect(builds()).toBeLessThanOrEqual(3)
  expect(readdirSync(pathOf('node_modules'))).toEqual(['vite'])
})

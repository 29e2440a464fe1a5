import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from '@jest/globals'
import { buildConsole } from '@notify/dev-env'

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
  dynamicImports?: string[]
}

const dist = join(import.meta.dirname, '..', 'dist')
const bound = 250 * 1024
let manifest: Record<string, Chunk>

beforeAll(async () => {
  await buildConsole()
  manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'))
})

/** The files that an entry or page needs at once. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (!chunk || seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const style of chunk.css ?? []) seen.add(style)
  for (const imported of chunk.imports ?? []) filesOf(imported, seen)
  return seen
}

const gzipped = (files: Set<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0)

test('every page is a chunk of its own, and the first load of each is below 250 KB compressed', () => {
  const pages = Object.keys(manifest).filter((name) => name.startsWith('src/pages/'))
  expect(pages).toContain('src/pages/activity/activity-page.tsx')
  // A dialog that a page loads on demand is a chunk of the page.
  const own = pages.filter((name) => name.endsWith('-page.tsx'))
  expect(manifest['index.html']?.dynamicImports).toEqual(expect.arrayContaining(own))
  const sizes = pages.map((page) => [page, gzipped(filesOf(page, filesOf('index.html')))] as const)
  expect(sizes.filter(([, size]) => size > bound)).toEqual([])
})

test('the index holds no inline script or style, which the policy of the page refuses', () => {
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  expect(html).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/)
})

import { existsSync, globSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect, test } from '@jest/globals'
import { anchorOf } from '../../scripts/markdown.ts'
import { filesBelow, readText, root } from './sources.ts'

/** The most lines of a document that is read from its beginning to its end. */
const longest = { 'docs/architecture.md': 250, 'docs/benchmarks.md': 150 }

const handwritten = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: (name) => ['node_modules', 'dist', '.local', '.git'].includes(name) })
const documents = handwritten('**/*.md').sort()

/** Markdown without its blocks of code, where nothing is a link or a heading. */
const proseOf = (document: string) => readText(document).replace(/^ *```[\s\S]*?^ *```$/gm, '')

interface Link {
  document: string
  path: string
  anchor: string | undefined
}

/** Links and pictures of a document to other files of the repository, or to headings. */
function linksOf(document: string): Link[] {
  const targets = [...proseOf(document).matchAll(/\]\(([^()\s]+)\)|<img [^>]*src="([^"]+)"/g)]
  return targets
    .map(([, link, picture]) => link ?? picture!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#')
      return { document, path: path === '' ? document : normalize(join(dirname(document), path)), anchor }
    })
}

/** The anchors of a document: those of equal headings are numbered. */
function anchorsOf(document: string): string[] {
  const headings = [...proseOf(document).matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) =>
    anchorOf(title!.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')),
  )
  return headings.map((anchor, at) => {
    const before = headings.slice(0, at).filter((other) => other === anchor).length
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

const links = documents.flatMap(linksOf)
const exists = (path: string) => existsSync(join(root, path))

test.each(Object.entries(longest))('%s has at most %d lines, none of them wider than a screen', (document, most) => {
  const lines = readText(document).trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(most)
  expect(lines.filter((line) => line.length > 150 && !line.startsWith('|'))).toEqual([])
})

test('every relative link leads to a file of the repository', () => {
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(({ path }) => !exists(path))).toEqual([])
})

test('every anchor is one of a heading', () => {
  const anchored = links.filter(({ path, anchor }) => anchor !== undefined && path.endsWith('.md'))
  expect(anchored.length).toBeGreaterThan(50)
  expect(anchored.filter(({ path, anchor }) => !anchorsOf(path).includes(anchor!))).toEqual([])
})

test('a source that names a document names one that exists', () => {
  const sources = handwritten('**/{*.{ts,tsx,mjs,yml,yaml,conf,ini,example},Dockerfile}')
  const named = sources.flatMap((file) =>
    [...readText(file).matchAll(/\bdocs\/[\w-]+(?:\/[\w-]+)*\.md\b/g)].map(([path]) => ({ file, path })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ path }) => !exists(path))).toEqual([])
})

/** Whether a document, with its own folder or the root in mind, may name this file or folder. */
function isKnown(name: string, document: string): boolean {
  if (/^(services|packages|tests|infra|scripts|bench|docs|k8s|content)\/./.test(name))
    return exists(name) || exists(join(dirname(document), name))
  return !/^[\w-]+\.tsx?$/.test(name) || names.has(name)
}
const names = new Set(handwritten('**/*').map((path) => basename(path)))

test('a document names only files and folders that exist', () => {
  const faults = documents
    .filter((document) => !['THIRD-PARTY-NOTICES.md', 'CHANGELOG.md'].includes(document))
    .flatMap((document) =>
      [...proseOf(document).matchAll(/`([\w./-]+)`/g)]
        .filter(([, name]) => !isKnown(name!, document))
        .map(([, name]) => ({ document, name })),
    )
  expect(faults).toEqual([])
})

test('each step of the life of a message names folders of its services', () => {
  const steps = [...proseOf('docs/architecture.md').matchAll(/^\d+\. \*\*[^*]+\*\* \(([^)]+)\)/gm)]
  expect(steps).toHaveLength(9)
  const folders = steps.flatMap(([, rooms]) =>
    rooms!.split('; ').flatMap((room) => {
      const [service] = room.split(', ')
      return [...room.matchAll(/`([\w/-]+)`/g)].map(([, folder]) => `services/${service}/src/${folder}`)
    }),
  )
  expect(folders.filter((folder) => !exists(folder))).toEqual([])
})

test('every document is reached by links from the README, or by a link to its folder', () => {
  const reached = new Set(['README.md'])
  for (const document of reached)
    for (const { path } of links.filter((link) => link.document === document))
      for (const next of documents) if (next === path || dirname(next) === path) reached.add(next)
  expect(documents.filter((document) => !reached.has(document))).toEqual([])
})

test('every picture is shown by a document, and is one that `npm run screens` writes', () => {
  const pictures = filesBelow('docs/screens')
  const shown = links.map(({ path }) => path).filter((path) => path.startsWith('docs/screens/'))
  expect([...new Set(shown)].sort()).toEqual(pictures)
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: { screens: string } }
  const patterns = scripts.screens.split(' ').flatMap((word) => (word.includes('/tests/') ? `${word}*` : []))
  const tests = globSync(patterns, { cwd: root }).map(readText).join('')
  expect(pictures.filter((path) => !tests.includes(`'${basename(path, '.png')}'`))).toEqual([])
})

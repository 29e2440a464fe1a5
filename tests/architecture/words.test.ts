import { globSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { filesBelow, isSource, isTest, readText, root } from './sources.ts'

/** Phrases for which there is a plain or technical word. */
const unclear = [
  { phrase: /\bwho(?:m)?(?:so)?ever\b/i, instead: 'name the subject' },
  { phrase: /\banew\b/i, instead: 'again, recreated, re-encrypted' },
  { phrase: /\bonce more\b/i, instead: 'again' },
  { phrase: /\bno more\b(?! (?:\w+ )?than\b)/i, instead: 'no longer, suppress' },
  { phrase: /\b(?:nobody|no one) (?:here )?(?:can )?knows?\b/i, instead: 'unknown' },
  { phrase: /\bin vain\b/i, instead: 'without effect, unused' },
  { phrase: /\bmade? up for\b/i, instead: 'replaced, repaired' },
  { phrase: /\bput(?:s|ting)? (?:\w+ ){0,3}to work\b/i, instead: 'requeued, scheduled' },
  { phrase: /\bwhat is neither\b/i, instead: 'name the subject' },
  { phrase: /\bh[eo]ld[- ]backs?\b/i, instead: 'circuit breaker, delayed' },
  { phrase: /\b(?:un)?told\b/i, instead: 'published, reported, notified' },
  { phrase: /\bheard\b/i, instead: 'received, acknowledged' },
  { phrase: /\b(?:is|are|was|were|been|be) said\b/i, instead: 'stated, reported, recorded' },
  { phrase: /\bspe?aks? of\b/i, instead: 'names, reports' },
  { phrase: /\b(?:to|of|for|from) whom\b/i, instead: 'name the subject' },
  { phrase: /\b(?:for|after|since) so long\b(?! as)|\bso long ago\b|\bso long an? \w/i, instead: 'name the time' },
  { phrase: /\bnot written to\b/i, instead: 'suppressed, gets no message' },
  { phrase: /\ball the same\b/i, instead: 'anyway, still' },
  { phrase: /\bfor good\b/i, instead: 'permanently' },
  { phrase: /\bbears?\b/i, instead: 'has, contains' },
  { phrase: /\bbe written to\b/i, instead: 'receives messages' },
  { phrase: /\bsomebody else/i, instead: 'another operator, tenant, process' },
  { phrase: /\bin the clear\b/i, instead: 'unencrypted' },
  { phrase: /\bputs? aside\b/i, instead: 'stored as a dead letter, skipped' },
  { phrase: /\bkept nowhere\b/i, instead: 'stored nowhere' },
]

/** Words that are riddles in a name. */
const unclearNames = /\b(?:un)?told\b|\btell(?:s|er)?\b|\bheard\b|\bsaid\b|\banew\b|\bwhoever\b|\bplaces?\b/i

const files = ['packages', 'services', 'tests', 'bench', 'scripts']
  .flatMap((folder) => filesBelow(folder))
  .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && file !== 'tests/architecture/words.test.ts')

interface Text {
  at: string
  text: string
}

interface Comment {
  at: string
  isPublic: boolean
  /** Without delimiters and TSDoc tags. */
  prose: string[]
}

test('a comment has at most two lines, and the TSDoc of packages more only where it must', () => {
  const long = comments().filter(({ isPublic, prose }) => prose.length > (isPublic ? 6 : 2))
  expect(long.map(({ at }) => at)).toEqual([])
})

test('comments and test titles use plain technical words', () => {
  const found = comments().map(({ at, prose }) => ({ at, text: prose.join(' ') }))
  expect(faultsIn([...found, ...files.flatMap(titlesOf)])).toEqual([])
})

test('a test title has a subject: it does not begin with a question word', () => {
  expect(files.flatMap(titlesOf).filter(({ text }) => /^(?:what|who(?:m|se)?)\b/i.test(text))).toEqual([])
})

test('documents use plain technical words', () => {
  const documents = handwritten('**/*.md').filter((file) => file !== 'THIRD-PARTY-NOTICES.md')
  expect(documents.length).toBeGreaterThan(50)
  expect(faultsIn(documents.flatMap((file) => paragraphsOf(file)))).toEqual([])
})

test('comments of images, manifests and configuration use plain technical words', () => {
  const configured = handwritten('**/{*.{yaml,yml,conf,ini,toml},Dockerfile}')
  expect(configured.length).toBeGreaterThan(100)
  expect(faultsIn(configured.flatMap((file) => remarksOf(file)))).toEqual([])
})

test('what programs show to people uses plain technical words', () => {
  const shown = files.filter((file) => isSource(file) && !isTest(file) && !file.endsWith('.mjs'))
  expect(shown.length).toBeGreaterThan(1000)
  // Parsing takes longer than searching.
  const suspects = shown.filter(
    (file) => faultsIn([{ at: file, text: readText(file).replace(/\s+/g, ' ') }]).length > 0,
  )
  expect(faultsIn(suspects.flatMap((file) => shownBy(file)))).toEqual([])
})

test('an unclear phrase is found in a document, a remark and a text of the interface, but not in code', () => {
  const document = 'One `told`.\n\n```\ntold\n```\n\nIt was\ntold.'
  expect(faultsIn(paragraphsOf('a.md', document))).toEqual(['a.md:7: told -> published, reported, notified'])
  expect(faultsIn(remarksOf('a.yaml', 'a: told # and\n# told'))).toHaveLength(1)
  const page = 'const told = 1\nexport const a = <p title="It was told">Once more</p>'
  expect(faultsIn(shownBy('a.tsx', page)).map((fault) => fault.split(': ')[1])).toEqual([
    'told -> published, reported, notified',
    'Once more -> again',
  ])
})

test('exported names use plain technical words', () => {
  const names = files.flatMap((file) => {
    const declared = readText(file).matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)
    return [...declared].map(([, name = '']) => ({ file, name, words: name.replace(/(?=[A-Z])/g, ' ') }))
  })
  expect(names.filter(({ words }) => unclearNames.test(words)).map(({ file, name }) => `${file}: ${name}`)).toEqual([])
})

/** The unclear phrases in texts. */
function faultsIn(texts: readonly Text[]): string[] {
  return texts.flatMap(({ at, text }) =>
    unclear
      .filter(({ phrase }) => phrase.test(text))
      .map(({ phrase, instead }) => `${at}: ${phrase.exec(text)?.[0]} -> ${instead}`),
  )
}

function handwritten(pattern: string): string[] {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/.local/**', '.git/**']
  return globSync(pattern, { cwd: root, exclude }).sort()
}

/** The paragraphs of a document without its code. */
function paragraphsOf(file: string, text = readText(file)): Text[] {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ')
  const prose = text.replace(/^```[\s\S]*?^```/gm, blank).replace(/`[^`\n]*`/g, blank)
  return [...prose.matchAll(/\S[^\n]*(?:\n[^\n]*\S[^\n]*)*/g)].map(({ 0: paragraph, index }) => ({
    at: at(file, prose, index),
    text: paragraph.replace(/\s+/g, ' '),
  }))
}

/** The remarks of a file whose comments begin with `#`, adjoining lines as one. */
function remarksOf(file: string, text = readText(file)): Text[] {
  return [...text.matchAll(/^[ \t]*(?:#.*\n?[ \t]*)+|\s#.*/gm)].map(({ 0: remark, index }) => ({
    at: at(file, text, index),
    text: remark.replace(/\s*#+\s*/g, ' '),
  }))
}

// biome-ignore lint/suspicious/noExplicitAny: the tree has some two hundred shapes
type SyntaxNode = any

/** The sentences in the strings and elements of a source: at least two words, and no code. */
function shownBy(file: string, text = readText(file)): Text[] {
  const found: Text[] = []
  const visit = (node: SyntaxNode): void => {
    if (typeof node !== 'object' || node === null) return
    const shown = { StringLiteral: node.value, TemplateElement: node.raw, JSXText: node.value }[node.type as string]
    if (/\w \w/.test(shown ?? '')) found.push({ at: file, text: shown.replace(/\s+/g, ' ') })
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(text, { syntax: 'typescript', tsx: file.endsWith('x'), target: 'es2024' }))
  return found
}

function comments(): Comment[] {
  return files.flatMap((file) => commentsOf(file, readText(file)))
}

/** The comments that start a line; those at the end of a line have one line by nature. */
function commentsOf(file: string, text: string): Comment[] {
  const blocks = text.matchAll(/^[ \t]*(?:\{?\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm)
  return [...blocks].map(({ 0: block, index }) => {
    const lines = block.split('\n').map((line) => line.replace(/^\s*(?:\{?\/\*\*?|\*\/|\*|\/\/)\s?|\s*\*\/$/g, ''))
    const tag = lines.findIndex((line) => /^(?:@|biome-ignore|eslint-)/.test(line))
    return {
      at: at(file, text, index),
      isPublic: file.startsWith('packages/') && block.trimStart().startsWith('/**'),
      prose: (tag < 0 ? lines : lines.slice(0, tag)).filter((line) => line.trim() !== ''),
    }
  })
}

/** The first argument of `test`, `describe` and what `test.each(…)` returns. */
function titlesOf(file: string): Text[] {
  if (!isTest(file)) return []
  const text = readText(file)
  const titles = text.matchAll(/(?:\b(?:test|describe)(?:\.\w+)?|\))\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1,/g)
  return [...titles].map(({ 2: title = '', index }) => ({ at: at(file, text, index), text: title }))
}

const at = (file: string, text: string, index: number) => `${file}:${text.slice(0, index).split('\n').length}`

import { expect, test } from '@jest/globals'
import { filesBelow, isTest, readText } from './sources.ts'

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
  const texts = [...comments().map(({ at, prose }) => ({ at, text: prose.join(' ') })), ...files.flatMap(titlesOf)]
  const faults = texts.flatMap(({ at, text }) =>
    unclear
      .filter(({ phrase }) => phrase.test(text))
      .map(({ phrase, instead }) => `${at}: ${phrase.exec(text)?.[0]} -> ${instead}`),
  )
  expect(faults).toEqual([])
})

test('exported names use plain technical words', () => {
  const names = files.flatMap((file) => {
    const declared = readText(file).matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)
    return [...declared].map(([, name = '']) => ({ file, name, words: name.replace(/(?=[A-Z])/g, ' ') }))
  })
  expect(names.filter(({ words }) => unclearNames.test(words)).map(({ file, name }) => `${file}: ${name}`)).toEqual([])
})

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
function titlesOf(file: string): { at: string; text: string }[] {
  if (!isTest(file)) return []
  const text = readText(file)
  const titles = text.matchAll(/(?:\b(?:test|describe)(?:\.\w+)?|\))\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1,/g)
  return [...titles].map(({ 2: title = '', index }) => ({ at: at(file, text, index), text: title }))
}

const at = (file: string, text: string, index: number) => `${file}:${text.slice(0, index).split('\n').length}`

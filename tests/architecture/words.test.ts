import { expect, test } from '@jest/globals'
import { filesBelow, readText } from './sources.ts'

/** Rooms whose comments have not been revised yet; remove an entry once its comments pass. */
const unrevised = [
  'packages/carrier-sandbox/',
  'packages/dev-env/',
  'services/consent/',
  'services/dispatch/src/channels/',
  'services/dispatch/src/deliver/',
  'services/dispatch/src/outcome/hand-offs/',
  'services/dispatch/src/upkeep/',
  'services/dispatch/tests/',
  'services/inbox-stream/',
  'services/otp/',
  'services/webhook-delivery/',
  'tests/flows/',
]

/** Phrases for which there is a plain or technical word. */
const unclear = [
  { phrase: /\bwhoever\b/i, instead: 'name the subject' },
  { phrase: /\bmade anew\b/i, instead: 'recreated' },
  { phrase: /\bencrypt\w* anew\b/i, instead: 're-encrypted' },
  { phrase: /\bmade? up for\b/i, instead: 'replaced, repaired' },
  { phrase: /\bput back to work\b/i, instead: 'requeued' },
  { phrase: /\bwrites? (to \w+ )?no more\b/i, instead: 'suppress' },
  { phrase: /\bnobody (here )?(can )?knows?\b/i, instead: 'unknown' },
]

const files = ['packages', 'services', 'tests', 'bench', 'scripts']
  .flatMap((folder) => filesBelow(folder))
  .filter((file) => /\.(ts|mjs)$/.test(file) && !unrevised.some((room) => file.startsWith(room)))
  .filter((file) => file !== 'tests/architecture/words.test.ts')

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

test('comments use plain technical words', () => {
  const faults = comments().flatMap(({ at, prose }) =>
    unclear.filter(({ phrase }) => phrase.test(prose.join(' '))).map(({ instead }) => `${at}: ${instead}`),
  )
  expect(faults).toEqual([])
})

function comments(): Comment[] {
  return files.flatMap((file) => commentsOf(file, readText(file)))
}

/** The comments that start a line; those at the end of a line have one line by nature. */
function commentsOf(file: string, text: string): Comment[] {
  const blocks = text.matchAll(/^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm)
  return [...blocks].map(({ 0: block, index }) => {
    const lines = block.split('\n').map((line) => line.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)\s?|\s*\*\/$/g, ''))
    const tag = lines.findIndex((line) => /^(?:@|biome-ignore|eslint-)/.test(line))
    return {
      at: `${file}:${text.slice(0, index).split('\n').length}`,
      isPublic: file.startsWith('packages/') && block.trimStart().startsWith('/**'),
      prose: (tag < 0 ? lines : lines.slice(0, tag)).filter((line) => line.trim() !== ''),
    }
  })
}

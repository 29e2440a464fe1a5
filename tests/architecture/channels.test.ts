import { expect, test } from '@jest/globals'
import { Channel } from '@notify/contracts'
import { parseSync } from '@swc/core'
import { packages, readText, services, sourcesOf } from './sources.ts'

const names = Channel.options.join('|')

/** Code that branches on a channel's name or on the shape of its payload. */
const decisions = [
  /\bswitch \((?:\w+\.)*channel\)/,
  new RegExp(`\\bcase '(?:${names})'`),
  new RegExp(`[!=]== '(?:${names})'`),
  /'\w+' in (?:payload|message|content)\b/,
]
const decides = (text: string) => decisions.some((pattern) => pattern.test(text))

test.each([
  'switch (request.channel) {',
  "case 'sms':",
  "if (channel === 'email') return",
  "channel !== 'in_app'",
  "'subject' in message",
])('%s is found', (text) => {
  expect(decides(text)).toBe(true)
})

test('dispatch knows what is particular to a channel in the folder of that channel alone', () => {
  const files = sourcesOf('services/dispatch').filter((path) => !path.includes('/src/channels/'))
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((path) => decides(readText(path)))).toEqual([])
})

/** Where a table of channels stands: their folders, and what carriers are given for each. */
const isTable = (path: string) => path.includes('/channels/') || path === 'packages/carriers/src/messages.ts'
const generated = 'packages/sdk/src/api-types.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tree has some two hundred shapes
type SyntaxNode = any

/** The names that a list, an object or a type holds. */
function namesIn(node: SyntaxNode): string[] {
  const members = node.elements ?? node.properties ?? node.types ?? node.members ?? node.body
  if (!Array.isArray(members)) return []
  return members.flatMap((member: SyntaxNode) => {
    const named = member?.expression ?? member?.literal ?? member?.key ?? member
    return named?.type === 'StringLiteral' || named?.type === 'Identifier' ? [named.value] : []
  })
}

/** The lists of at least two channels in a text, wherever they stand. */
function listsIn(text: string, tsx = false): string[][] {
  const lists: string[][] = []
  const visit = (node: SyntaxNode): void => {
    if (typeof node !== 'object' || node === null) return
    const found = new Set(namesIn(node).filter((name) => (Channel.options as string[]).includes(name)))
    if (found.size > 1) lists.push([...found])
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(text, { syntax: 'typescript', tsx, target: 'es2024' }))
  return lists
}

test.each([
  "const all = ['sms', 'email']",
  "type Some = 'sms' | 'email'",
  'const { sms, email } = templates',
  'const words = { sms: 1, other: 2, in_app: 3 }',
  'interface Forms { sms?: string; email?: string }',
])('%s is a list of channels', (text) => {
  expect(listsIn(text)).toHaveLength(1)
})

test.each(["send({ channel: 'sms', email: 'ada@example.com' })", "const names = ['sms', 'push']"])(
  '%s is none',
  (text) => {
    expect(listsIn(text)).toEqual([])
  },
)

test('no code lists channels, because a list would miss the next one', () => {
  const files = [...services.map((name) => `services/${name}`), ...packages.map((name) => `packages/${name}`)]
    .flatMap(sourcesOf)
    .filter((path) => /\.tsx?$/.test(path) && !isTable(path) && path !== generated)
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap((path) =>
    listsIn(readText(path), path.endsWith('.tsx')).map((list) => `${path}: ${list.join(', ')}`),
  )
  expect(found).toEqual([])
})

import { expect, test } from '@jest/globals'
import { Channel } from '@notify/contracts'
import { parseSync } from '@swc/core'
import { filesBelow, isSource, isTest, packages, readText, services } from './sources.ts'

const channels: readonly string[] = Channel.options
const names = channels.join('|')

/** Where a table of channels stands: their folders, and what carriers are given for each. */
const isTable = (path: string) => path.includes('/channels/') || path === 'packages/carriers/src/messages.ts'
const generated = 'packages/sdk/src/api-types.ts'
const files = [
  ...[...services.map((name) => `services/${name}/src`), ...packages.map((name) => `packages/${name}/src`)],
  ...['bench', 'scripts', 'infra'],
]
  .flatMap(filesBelow)
  .filter((path) => (isSource(path) || path.endsWith('.html')) && !isTest(path) && !isTable(path) && path !== generated)

/** Code that branches on a channel's name or on the shape of its payload. */
const decisions = [
  /\bswitch \((?:\w+\.)*channel\)/,
  new RegExp(`\\bcase '(?:${names})'`),
  new RegExp(`[!=]== '(?:${names})'`),
  new RegExp(`'(?:${names})' [!=]==`),
  /'\w+' in (?:payload|message|content)\b/,
]
const decides = (text: string) => decisions.some((pattern) => pattern.test(text))

test.each([
  'switch (request.channel) {',
  "case 'sms':",
  "if (channel === 'email') return",
  "if ('email' === channel) return",
  "channel !== 'in_app'",
  "'subject' in message",
])('%s is found', (text) => {
  expect(decides(text)).toBe(true)
})

test('code knows what is particular to a channel in the folder of that channel alone', () => {
  expect(files.length).toBeGreaterThan(1000)
  expect(files.filter((path) => /^(services|packages)\//.test(path) && decides(readText(path)))).toEqual([])
})

// biome-ignore lint/suspicious/noExplicitAny: the tree has some two hundred shapes
type SyntaxNode = any

/** The names that a list, an object or a type holds as members or keys. */
function membersOf(node: SyntaxNode): string[] {
  const members = node.elements ?? node.properties ?? node.types ?? node.members ?? node.body
  if (!Array.isArray(members)) return []
  return members.flatMap((member: SyntaxNode) => {
    const key = member?.expression ?? member?.literal ?? member?.key ?? member
    return key?.type === 'StringLiteral' || key?.type === 'Identifier' ? [key.value] : []
  })
}

/** The channels that a text names: as itself, as a list such as `sms|email`, or quoted, as in SQL. */
function channelsInText(text: string): string[] {
  const parts = text.split(/[\s,|;/()^$]+/).filter((part) => part !== '')
  if (parts.every((part) => channels.includes(part))) return parts
  return [...text.matchAll(new RegExp(`['"](${names})['"]`, 'g'))].map(([, name]) => name!)
}

/** The text of a literal that is not the key of an object. */
const textOf = ({ type, value, raw, pattern }: SyntaxNode): string | undefined =>
  ({ StringLiteral: value, TemplateElement: raw, RegExpLiteral: pattern, JSXText: value })[type as string]

/**
 * The lists of channels in a text: two names in one list, object or type, in one literal, or in the literals of the whole file.
 * A bench may send samples of several channels, so its literals count one by one.
 */
function listsIn(text: string, { tsx = false, isBench = false } = {}): string[][] {
  const lists: string[][] = []
  const literals = new Set<string>()
  const visit = (node: SyntaxNode): void => {
    if (typeof node !== 'object' || node === null) return
    const members = new Set(membersOf(node).filter((name) => channels.includes(name)))
    const named = new Set(channelsInText(textOf(node) ?? ''))
    for (const found of [members, named]) if (found.size > 1) lists.push([...found])
    for (const name of named) literals.add(name)
    for (const [field, child] of Object.entries(node)) if (field !== 'key') visit(child)
  }
  visit(parseSync(text, { syntax: 'typescript', tsx, target: 'es2024' }))
  if (literals.size > 1 && lists.length === 0 && !isBench) lists.push([...literals])
  return lists
}

/** The lists of a page: the values of its elements. */
const listsInPage = (text: string) => {
  const found = new Set(channelsInText(text))
  return found.size > 1 ? [[...found]] : []
}

test.each([
  "const all = ['sms', 'email']",
  "const all = new Set(['sms', 'email'])",
  "const all = new Map([['sms', 1], ['email', 2]])",
  "type Some = 'sms' | 'email'",
  "type Some =\n  | 'sms'\n  | 'email'",
  "const isShort = (channel) => channel === 'sms' || channel === 'whatsapp'",
  "switch (one) {\n  case 'sms':\n  case 'email':\n    send()\n}",
  "if (one === 'sms') call()\nif (one === 'email') write()",
  "const Some = z.discriminatedUnion('channel', [z.object({ channel: z.literal('sms') }), z.object({ channel: z.literal('email') })])",
  "const all = 'sms,email'.split(',')",
  'const isSome = /^(sms|email)$/',
  "const sql = `select (array['sms', 'email'])[1]`",
  'const all = [sms, email]',
  'const { sms, email } = templates',
  'const words = { sms: 1, other: 2, in_app: 3 }',
  "const words = { 'sms': 1, 'email': 3 }",
  'interface Forms { sms?: string; email?: string }',
])('%s is a list of channels', (text) => {
  expect(listsIn(text)).toHaveLength(1)
})

test.each([
  "send({ channel: 'sms', email: 'ada@example.com' })",
  "const names = ['sms', 'push']",
  "const text = 'The webhook of an email'",
])('%s is none', (text) => {
  expect(listsIn(text)).toEqual([])
})

test('a page with a list of channels is found', () => {
  expect(listsInPage('<option value="sms">SMS</option><option value="email">Email</option>')).toHaveLength(1)
  expect(listsInPage('<option value="sms">SMS</option>')).toEqual([])
})

test('no code lists channels, because a list would miss the next one', () => {
  const found = files.flatMap((path) => {
    const text = readText(path)
    // Parsing takes longer than searching.
    if (new Set(text.match(new RegExp(`\\b(?:${names})\\b`, 'g'))).size < 2) return []
    const lists = path.endsWith('.html')
      ? listsInPage(text)
      : listsIn(text, { tsx: path.endsWith('.tsx'), isBench: path.startsWith('bench/') })
    return lists.map((list) => `${path}: ${list.join(', ')}`)
  })
  expect(found).toEqual([])
})

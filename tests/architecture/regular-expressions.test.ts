import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'

const root = new URL('../..', import.meta.url).pathname

/** The lines that the check refuses in this source. */
function refusedLines(text: string, file: string): number[] {
  const eslint = ['node_modules/eslint/bin/eslint.js', '--format', 'json', '--stdin', '--stdin-filename', file]
  const { stdout, stderr } = spawnSync(process.execPath, eslint, { cwd: root, input: text, encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  const [{ messages }] = JSON.parse(stdout)
  const errors = messages.filter(({ severity }: { severity: number }) => severity === 2)
  return [...new Set<number>(errors.map(({ line }: { line: number }) => line))]
}

const refused = [
  '/(a+)+$/',
  String.raw`/^(?:\w+\s?)*$/`,
  String.raw`/[^\s@]+@[^\s@]+/gu`,
  String.raw`/[\p{P}\s]+$/u`,
  String.raw`/%\{[^}]*\}$/`,
  String.raw`/<!--[\s\S]*-->/`,
  '/(a)(.*)b/',
  'new RegExp(`^$' + '{name}$`)',
  `RegExp('a+$')`,
]
const taken = [
  '/^[^@]+@[^@]+$/',
  String.raw`/(?<![\p{P}\s])[\p{P}\s]+$/u`,
  '/"([^"]*)"/',
  String.raw`/(?:^|;)\s*p\s*=([^;]*)/`,
  '/a.{0,30}b/',
]

test('a pattern whose time may grow faster than its input fails the check, whatever the code says of it', () => {
  const lines = [...refused, ...taken].map(
    (pattern, at) => `export const pattern${at}: RegExp = ${pattern} // eslint-disable-line`,
  )
  const expected = refused.map((_pattern, at) => at + 1)
  expect(refusedLines(lines.join('\n'), 'services/dispatch/src/any.ts')).toEqual(expected)
  expect(refusedLines(lines.join('\n'), 'packages/privacy/src/any.ts')).toEqual(expected)
})

import { expect, test } from '@jest/globals'
import { parseSpf, SpfFault } from './parse-spf.ts'

test.each([
  ['unfinished macros', '%{'.repeat(32_000)],
  ['unfinished macros that end in a brace', `${'%{'.repeat(32_000)}x}`],
  ['macros', '%{d}'.repeat(16_000)],
  ['dashes', `a.${'a-'.repeat(32_000)}`],
  ['slashes', 'a/'.repeat(32_000)],
])('a term of 64 KB with %s is refused at once', (_what, target) => {
  const started = performance.now()
  expect(() => parseSpf(`v=spf1 include:${target} -all`)).toThrow(SpfFault)
  expect(() => parseSpf(`v=spf1 redirect=${target}`)).toThrow(SpfFault)
  expect(performance.now() - started).toBeLessThan(2000)
})

test.each(['%{d}', 'a.%{i}', '%{ir}.%{v}.arpa.%{d2}', '%{L}.%%.%{d}'])('a name may end in a macro: %s', (target) => {
  expect(parseSpf(`v=spf1 exists:${target} -all`).directives).toHaveLength(2)
})

test.each(['}', 'a}', '%{d}}', '%{d}x}', '%{', '%'])('an unfinished macro at the end is refused: %s', (target) => {
  expect(() => parseSpf(`v=spf1 exists:${target} -all`)).toThrow(SpfFault)
})
